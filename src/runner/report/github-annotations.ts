// Diagnostics as workflow commands of GitHub Actions, which become annotations of the changed files.
import type { Complaint } from '../../contract/yaml/diagnostic.ts';

/** `::error file=…,line=…,col=…,endLine=…,endColumn=…,title=SL012::message`, in one line. */
export function annotationOf({ severity, file, span, code, message, hint }: Complaint): string {
  const properties: readonly (readonly [string, string | number | undefined])[] = [
    // A problem with the command line names no file.
    ['file', code === undefined ? undefined : file],
    ['line', span?.line],
    ['col', span?.column],
    ['endLine', span?.endLine],
    ['endColumn', span?.endColumn],
    ['title', code ?? 'shotlist'],
  ];
  const given = properties
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  const text = code === undefined ? `${file}: ${message}` : message;
  const said = hint === undefined ? text : `${text}\n${hint}`;
  return `::${severity} ${given.join(',')}::${escaped(said)}`;
}

/** As `actions/toolkit` escapes the message of a command. */
const escaped = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string =>
  escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
