// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options with the diagnostics of the other tools on top of CLI11.
#ifndef HK_TOOLS_COMMON_COMMAND_LINE_H
#define HK_TOOLS_COMMON_COMMAND_LINE_H

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hk::tools {

/// The integer that `text` is, or a user error: "expects --dim to be an
/// integer from 1 to 9, but got 'x'".
int64_t parseInteger(const std::string &option, const std::string &text,
                     int64_t low, int64_t high);
/// The finite number, zero or above, that `text` is, or a user error.
double parseNumber(const std::string &option, const std::string &text);

/// An option with an integer in [low, high].
CLI::Option *addInteger(CLI::App &app, const std::string &name,
                        std::optional<int64_t> &value, int64_t low,
                        int64_t high, const std::string &help);
/// An option with a finite number that is zero or above.
CLI::Option *addNumber(CLI::App &app, const std::string &name, double &value,
                       const std::string &help);
/// An option with one of a few words.
CLI::Option *addChoice(CLI::App &app, const std::string &name,
                       std::optional<std::string> &value,
                       const std::vector<std::string> &choices,
                       const std::string &help);
/// The pair --name / --no-name.
CLI::Option *addSwitch(CLI::App &app, const std::string &name,
                       std::optional<bool> &value, const std::string &help);

/// Parses; returns false after --help or --version was answered. Throws a
/// user error for what CLI11 refuses.
bool parseCommandLine(CLI::App &app, int argc, char **argv);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_COMMAND_LINE_H
