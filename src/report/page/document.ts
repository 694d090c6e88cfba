// The HTML file of a report: the data, the pictures, and the page that shows them, with no request to anything outside.
import type { ReportData } from './report-data.ts';

export interface PageParts {
  readonly script: string;
  readonly style: string;
  /** The licenses of the packages in the script and the style. */
  readonly notices: string;
}

/** The first bytes of every report: a file that begins otherwise is not replaced. */
export const reportMark = '<!doctype html><!-- shotlist report -->';

/** So many pictures are decoded at once by the page. */
export const picturesPerBlock = 200;

interface ReportDocument {
  readonly data: ReportData;
  /** WebP in Base64 by number; empty for a file without a picture. */
  readonly pictures: readonly (string | undefined)[];
  readonly page: PageParts;
  /** The digest of the script, as Base64 of SHA-256. */
  readonly scriptHash: string;
}

/** The pieces of the file, in their order. */
export function* reportDocument(document: ReportDocument): Generator<string> {
  const { data, pictures, page, scriptHash } = document;
  yield* head(data.pipeline, page.style, [
    reportMark,
    `<meta http-equiv="Content-Security-Policy" content="${policy(scriptHash)}">`,
  ]);
  yield `<script type="application/json" id="data">${jsonInScript(data)}</script>\n`;
  // The page begins with the first pictures; the browser reads the others while it is already shown.
  yield pictureBlock(pictures, 0);
  yield `<script>${page.script}</script>\n`;
  for (let number = 1; number * picturesPerBlock < pictures.length; number++)
    yield pictureBlock(pictures, number);
  yield* end(page);
}

function pictureBlock(pictures: ReportDocument['pictures'], number: number): string {
  const first = number * picturesPerBlock;
  const lines = pictures.slice(first, first + picturesPerBlock).map((picture) => picture ?? '');
  return `<script type="text/plain" id="pictures-${number}">${lines.join('\n')}</script>\n`;
}

/** The page without data, which comes from the server that the page is from. */
export function* liveDocument(title: string, page: PageParts): Generator<string> {
  // Without an icon of its own, a browser asks the server for one.
  yield* head(title, page.style, ['<!doctype html>', '<link rel="icon" href="data:,">']);
  yield `<script>${page.script}</script>\n`;
  yield* end(page);
}

/** Who gets the file gets the licenses with it. */
function* end({ notices }: PageParts): Generator<string> {
  yield `<!--\nThis page contains these packages:\n\n${notices.replaceAll('--', '- -')}\n-->\n`;
  yield '</body></html>\n';
}

function* head(
  title: string,
  style: string,
  [mark, first]: readonly [string, string],
): Generator<string> {
  yield `${mark}\n<html lang="en"><head><meta charset="utf-8">\n${first}\n`;
  yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n';
  yield '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">\n';
  yield `<title>${escaped(title)} · shotlist report</title>\n`;
  yield `<style>${style.replaceAll('</', '<\\/')}</style></head>\n`;
  yield '<body><div id="app"></div><noscript>This report needs JavaScript.</noscript>\n';
}

/** No request leaves the page: files beside the report are all it may load. */
const policy = (scriptHash: string): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    "style-src 'unsafe-inline'",
    'img-src data: file:',
    'media-src file:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** Sent as a header. Everything comes from the page's own server. */
export const livePolicy = (scriptHash: string): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** JSON that can stand in a script element: "<" could end it, and U+2028 ends a line in old parsers. */
export const jsonInScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
