// Makes untrusted text safe for a terminal: it cannot move the cursor, change colors, reorder or
// hide anything.

/**
 * Control characters (C0, DEL, C1), lone surrogates, line and paragraph separators, bidirectional
 * controls, and characters without width. The joiners and variation selectors that emoji and
 * scripts need are not among them.
 */
export const unsafe =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * One line of text: each unsafe character becomes an escape such as `\n` or `\u{202e}`. With
 * `lines`, line feeds and tabs stay, and any other unsafe character becomes U+FFFD, so that columns
 * keep their place.
 */
export function printable(text: string, lines = false): string {
  return text.replace(unsafe, (character) => {
    if (lines) return /[\n\t]/.test(character) ? character : '\ufffd'.repeat(character.length);
    return shortEscapes[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Most JSON text: looking for one of many characters in it takes far longer. */
const plain = /^[\x20-\x7e]*$/;

/** Escapes every unsafe character in JSON text; its value stays the same. */
export function printableJson(json: string): string {
  if (plain.test(json)) return json;
  return json.replace(unsafe, (character) => {
    if (character === '\n') return character;
    return Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${code}`;
    }).join('');
  });
}
