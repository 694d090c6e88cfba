// Texts that may leave the machine: no path of it, no address.

/** Takes the folders off every path and the address out of every link in a text from a file, a system or a service. */
export const mailable = (text: string): string =>
  text
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi, '[address]')
    .replace(
      /(?<![\w.\]])(?:[A-Za-z]:[\\/]|\\\\|\/|~\/)(?:[^\s"'<>:|\\/][^\n"'<>:|\\/]*[\\/])+/g,
      '',
    )
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '[address]');

/** The name of a file, without its folders. */
export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
