#include "modules/error_page.h"

#include "modules/templates/escape.h"

namespace pure::modules {

std::string ErrorPage(Bytes title, Bytes text) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
  AppendEscaped(Escape::kHtml, title, &out);
  out += "</title>\n<h1>";
  AppendEscaped(Escape::kHtml, title, &out);
  out += "</h1>\n<p>";
  AppendEscaped(Escape::kHtml, text, &out);
  return out + "\n";
}

}  // namespace pure::modules
