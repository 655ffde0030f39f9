#include "platforms/server/dashboard.h"

namespace pure::server {

namespace {

constexpr Bytes kPage = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Pure</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em;
  color: #222; background: #fff }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(17em, 1fr)); gap: 1em }
figure { margin: 0; padding: .6em .8em; border: 1px solid #ddd; border-radius: 4px }
figcaption { display: flex; justify-content: space-between; gap: 1em }
figcaption b { font-variant-numeric: tabular-nums }
svg { width: 100%; height: 60px; display: block }
path { fill: none; stroke: #06c; stroke-width: 1.5; vector-effect: non-scaling-stroke }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818 } figure { border-color: #444 } path { stroke: #6af }
}
</style>
<h1>Pure</h1>
<p id="about" role="status">Waiting for the first figures.</p>
<main id="graphs"></main>
<template><figure><figcaption><span></span><b></b></figcaption>
<svg viewBox="0 0 119 60" preserveAspectRatio="none" aria-hidden="true"><path/></svg></figure>
</template>
<script>
'use strict';
const kPoints = 120;  // one a second
const perSave = (now, old) =>
  (now.burst_events - old.burst_events) / Math.max(1, now.commit_groups - old.commit_groups);
const rate = name => (now, old, seconds) => (now[name] - old[name]) / seconds;
const graphs = [
  ['Requests a second', rate('requests')],
  ['Bursts a second', rate('bursts')],
  ['Saves a second', rate('commit_groups')],
  ['Requests a save', perSave],
  ['Connections', now => now.active],
  ['Budget in use, KiB', now => now.retained_payload_bytes / 1024],
  ['Store, MiB', now => now.store_bytes / 1048576],
  ['Expired', now => now.expired],
].map(([name, of]) => {
  const figure = document.querySelector('template').content.cloneNode(true).firstElementChild;
  figure.querySelector('span').textContent = name;
  document.getElementById('graphs').append(figure);
  return { of, values: [], number: figure.querySelector('b'), path: figure.querySelector('path') };
});
function draw(graph, value) {
  graph.values.push(value);
  if (graph.values.length > kPoints) graph.values.shift();
  const most = Math.max(1e-9, ...graph.values);
  graph.number.textContent = value.toLocaleString('en', { maximumFractionDigits: 1 });
  graph.path.setAttribute('d', graph.values
    .map((each, i) => `${i ? 'L' : 'M'}${i},${58 - 56 * each / most}`).join(''));
}
let old = null;
async function tick() {
  const about = document.getElementById('about');
  try {
    const now = await (await fetch('/-/stats')).json();
    const up = Math.round(now.uptime_ms / 1000);
    about.textContent =
      `${now.transport}, ${now.threads} thread(s), up ${up} s, ${now.requests} requests`;
    const seconds = old ? (now.uptime_ms - old.uptime_ms) / 1000 : 0;
    if (seconds > 0) for (const graph of graphs) draw(graph, graph.of(now, old, seconds));
    old = now;
  } catch (error) {
    about.textContent = 'The server does not answer.';
  }
  setTimeout(tick, 1000);
}
tick();
</script>
)";

}  // namespace

Bytes Dashboard() { return kPage; }

}  // namespace pure::server
