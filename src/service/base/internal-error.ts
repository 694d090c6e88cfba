// What goes wrong in the service itself, which no request is to blame for: said on standard error, never swallowed.

export function reportInternalError(about: string, reason: unknown): void {
  const what = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  process.stderr.write(`local service: ${about}: ${what}\n`);
}
