// The pictures of the report, which are text in the page until somebody looks at them.

/** As in document.ts. */
const perBlock = 200;
const blocks = new Map<number, readonly string[]>();

const addresses = new Map<number, string>();

/** The address of a picture; undefined if the report has none for this number. */
export function pictureAddress(number: number | undefined): string | undefined {
  if (number === undefined) return undefined;
  const known = addresses.get(number);
  if (known !== undefined) return known;
  const base64 = blockOf(Math.floor(number / perBlock))[number % perBlock];
  if (base64 === undefined || base64 === '') return undefined;
  const address = `data:image/webp;base64,${base64}`;
  addresses.set(number, address);
  return address;
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
