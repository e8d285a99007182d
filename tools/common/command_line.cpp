// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/command_line.h"

#include "common/error.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>

using namespace hk::tools;

int64_t hk::tools::parseInteger(const std::string &option,
                                const std::string &text, int64_t low,
                                int64_t high) {
  errno = 0;
  char *end = nullptr;
  long long value = std::strtoll(text.c_str(), &end, 10);
  bool isNumber = !text.empty() && !std::isspace(text[0]) && *end == '\0';
  if (!isNumber || errno == ERANGE || value < low || value > high)
    userError("expects " + option + " to be an integer from " +
              std::to_string(low) + " to " + std::to_string(high) +
              ", but got '" + text + "'");
  return value;
}

double hk::tools::parseNumber(const std::string &option,
                              const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || std::isspace(text[0]) || *end != '\0' ||
      !std::isfinite(value) || value < 0)
    userError("expects " + option +
              " to be a finite number, zero or above, but got '" + text + "'");
  return value;
}

CLI::Option *hk::tools::addInteger(CLI::App &app, const std::string &name,
                                   std::optional<int64_t> &value, int64_t low,
                                   int64_t high, const std::string &help) {
  return app
      .add_option_function<std::string>(
          name,
          [&value, name, low, high](const std::string &text) {
            value = parseInteger(name, text, low, high);
          },
          help)
      ->type_name("N");
}

CLI::Option *hk::tools::addNumber(CLI::App &app, const std::string &name,
                                  double &value, const std::string &help) {
  return app
      .add_option_function<std::string>(
          name,
          [&value, name](const std::string &text) {
            value = parseNumber(name, text);
          },
          help)
      ->type_name("X");
}

CLI::Option *hk::tools::addChoice(CLI::App &app, const std::string &name,
                                  std::optional<std::string> &value,
                                  const std::vector<std::string> &choices,
                                  const std::string &help) {
  std::string list;
  for (const std::string &choice : choices)
    list += (list.empty() ? "" : ", ") + choice;
  return app
      .add_option_function<std::string>(
          name,
          [&value, name, choices, list](const std::string &text) {
            for (const std::string &choice : choices)
              if (text == choice) {
                value = text;
                return;
              }
            userError("expects " + name + " to be one of " + list +
                      ", but got '" + text + "'");
          },
          help + ": " + list)
      ->type_name("");
}

CLI::Option *hk::tools::addSwitch(CLI::App &app, const std::string &name,
                                  std::optional<bool> &value,
                                  const std::string &help) {
  app.add_flag_callback("--no-" + name, [&value] { value = false; })
      ->group(""); // --help shows it beside the other
  return app.add_flag_callback(
      "--" + name, [&value] { value = true; }, help + "; or --no-" + name);
}

bool hk::tools::parseCommandLine(CLI::App &app, int argc, char **argv) {
  app.allow_extras();
  app.get_formatter()->column_width(32);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) { // --help, --version
    app.exit(success);
    return false;
  } catch (const CLI::ArgumentMismatch &error) {
    userError(std::string("expects another number of values, but got ") +
              error.what());
  } catch (const CLI::ParseError &error) {
    userError(std::string(error.what()) + "; see --help");
  }
  std::vector<std::string> extras = app.remaining();
  if (!extras.empty())
    userError("expects only what --help lists, but got '" + extras.front() +
              "'");
  return true;
}
