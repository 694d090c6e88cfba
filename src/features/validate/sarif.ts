// Diagnostics as a SARIF 2.1.0 log, the format that GitHub code scanning and other services read.
import type { Log, PhysicalLocation, ReportingDescriptor, Result, ToolComponent } from 'sarif';
import { explanations } from '../../contract/codes/all.ts';
import type { Complaint, Diagnostic } from '../../contract/yaml/diagnostic.ts';

/** `version`: of shotlist. Problems without a code are no results, but say why the check is not complete. */
export function sarifOf(complaints: readonly Complaint[], version: string): Log {
  const found = complaints.filter((one) => one.code !== undefined);
  const obstacles = complaints.filter((one) => one.code === undefined);
  const codes = [...new Set(found.map(({ code }) => code))].sort();
  const driver: ToolComponent = {
    name: 'shotlist',
    semanticVersion: version,
    rules: codes.map(ruleOf),
  };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: obstacles.length === 0,
            toolExecutionNotifications: obstacles.map(({ severity, file, message, hint }) => ({
              level: severity,
              message: { text: withHint(`${file}: ${message}`, hint) },
            })),
          },
        ],
        results: found.map((one) => resultOf(one, codes.indexOf(one.code))),
      },
    ],
  };
}

function ruleOf(code: string): ReportingDescriptor {
  const { title = code, meaning = title, warning = false } = explanations.get(code) ?? {};
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: meaning },
    help: { text: `${meaning}\n\nMore: shotlist explain ${code}` },
    defaultConfiguration: { level: warning ? 'warning' : 'error' },
  };
}

function resultOf(diagnostic: Diagnostic, ruleIndex: number): Result {
  const { code: ruleId, severity: level, message, hint } = diagnostic;
  return {
    ruleId,
    ruleIndex,
    level,
    message: { text: withHint(message, hint) },
    locations: [{ physicalLocation: locationOf(diagnostic) }],
  };
}

function locationOf({ file, span }: Diagnostic): PhysicalLocation {
  const artifactLocation = { uri: uriOf(file) };
  if (span === undefined) return { artifactLocation };
  const { line: startLine, column: startColumn, endLine, endColumn } = span;
  return { artifactLocation, region: { startLine, startColumn, endLine, endColumn } };
}

/** A relative path stays relative to the working folder, which services take for the root of the repository. */
function uriOf(file: string): string {
  const path = file.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  if (escaped.startsWith('/')) return `file://${escaped}`;
  return /^[A-Za-z]%3A\//.test(escaped) ? `file:///${escaped.replace('%3A', ':')}` : escaped;
}

const withHint = (message: string, hint: string | undefined): string =>
  hint === undefined ? message : `${message}\n\n${hint}`;
