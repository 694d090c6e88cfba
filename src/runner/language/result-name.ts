// `result.ext`: the one name whose value only a finished download has. Until then a mark stands for it in the path.

/** A private-use character: no name that a person types has it, and every file system takes it. */
export const extensionMark = '\u{f0000}';

/** What `result` is in an expression. */
export const resultNames = { ext: extensionMark };

/** A path as a person reads it: `cat.<ext>`. */
export const withMarkShown = (path: string): string => path.replaceAll(extensionMark, '<ext>');
