// Reports errors of the service itself, which no request caused, on standard error.

export function reportInternalError(about: string, reason: unknown): void {
  const what = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  process.stderr.write(`local service: ${about}: ${what}\n`);
}
