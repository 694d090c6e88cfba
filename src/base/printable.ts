// Text from outside on its way to a terminal: it may not move the cursor, change colours or hide anything.

/** Replaces control characters (C0, DEL, C1). Line feeds and tabs stay only where `lines` says so. */
export function printable(text: string, lines = false): string {
  return Array.from(text, (character) => {
    if (lines && (character === '\n' || character === '\t')) return character;
    return /\p{Cc}/u.test(character) ? '\ufffd' : character;
  }).join('');
}
