// Takes out of a text what must not be kept: the query of an address (signatures), bearer tokens, length.

/** A message as it may stand in a state file, a log or on a screen. */
export function scrubbed(text: string): string {
  return text
    .replace(/(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]*/g, '$1')
    .replace(/\bBearer\s+\S+/gi, 'Bearer …')
    .slice(0, 500);
}
