#include "platforms/server/dashboard.h"

namespace pure::server {

Bytes Dashboard() {
  static constexpr char kPage[] = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Pure</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;background:#fff}
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(17em,1fr));gap:1em}
figure{margin:0;padding:.6em .8em;border:1px solid #ddd;border-radius:4px}
figcaption{display:flex;justify-content:space-between;gap:1em}
figcaption b{font-variant-numeric:tabular-nums}
svg{width:100%;height:60px;display:block}path{fill:none;stroke:#06c;stroke-width:1.5;vector-effect:non-scaling-stroke}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}figure{border-color:#444}path{stroke:#6af}}
</style>
<h1>Pure</h1><p id="about" role="status">Waiting for the first figures.</p><main id="graphs"></main>
<script>
'use strict';
const graphs = [
  ['Requests a second', (n, o, s) => (n.requests - o.requests) / s],
  ['Bursts a second', (n, o, s) => (n.bursts - o.bursts) / s],
  ['Saves a second', (n, o, s) => (n.commit_groups - o.commit_groups) / s],
  ['Requests a save', (n, o) => (n.burst_events - o.burst_events) / Math.max(1, n.commit_groups - o.commit_groups)],
  ['Connections', n => n.active],
  ['Budget in use, KiB', n => n.retained_payload_bytes / 1024],
  ['Store, MiB', n => n.store_bytes / 1048576],
  ['Expired', n => n.expired],
].map(([name, of]) => {
  const figure = document.createElement('figure');
  figure.innerHTML = '<figcaption><span></span><b></b></figcaption><svg viewBox="0 0 119 60" preserveAspectRatio="none" aria-hidden="true"><path/></svg>';
  figure.querySelector('span').textContent = name;
  document.getElementById('graphs').append(figure);
  return {of, values: [], number: figure.querySelector('b'), path: figure.querySelector('path')};
});
let old = null;
async function tick() {
  const about = document.getElementById('about');
  try {
    const now = await (await fetch('/-/stats')).json();
    about.textContent = `${now.transport}, ${now.threads} thread(s), up ${Math.round(now.uptime_ms / 1000)} s, ${now.requests} requests`;
    const seconds = old ? (now.uptime_ms - old.uptime_ms) / 1000 : 0;
    if (seconds > 0) for (const graph of graphs) {
      graph.values.push(graph.of(now, old, seconds));
      if (graph.values.length > 120) graph.values.shift();
      const most = Math.max(1e-9, ...graph.values);
      graph.number.textContent = graph.values.at(-1).toLocaleString('en', {maximumFractionDigits: 1});
      graph.path.setAttribute('d', graph.values.map((v, i) => `${i ? 'L' : 'M'}${i},${58 - 56 * v / most}`).join(''));
    }
    old = now;
  } catch (error) {
    about.textContent = 'The server does not answer.';
  }
  setTimeout(tick, 1000);
}
tick();
</script>
)";
  return Bytes(kPage, sizeof(kPage) - 1);
}

}  // namespace pure::server
