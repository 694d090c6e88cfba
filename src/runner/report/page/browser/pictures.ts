// The pictures of the report, which are text in the page until somebody looks at them.

/** As in document.ts. */
const perBlock = 200;
const blocks = new Map<number, readonly string[]>();

/** The address of a picture; undefined if the report has none for this number. */
export function pictureAddress(number: number | undefined): string | undefined {
  if (number === undefined) return undefined;
  const base64 = blockOf(Math.floor(number / perBlock))[number % perBlock];
  return base64 === undefined || base64 === '' ? undefined : `data:image/webp;base64,${base64}`;
}

function blockOf(number: number): readonly string[] {
  const known = blocks.get(number);
  if (known !== undefined) return known;
  const element = document.getElementById(`pictures-${number}`);
  // The browser may still be reading the page: then the block is there the next time.
  if (element === null) return [];
  const lines = (element.textContent ?? '').split('\n');
  blocks.set(number, lines);
  return lines;
}
