// Renders a report: makes the thumbnails, and puts them and the page into one file.
import { createHash } from 'node:crypto';
import { pageAssets } from '../../adapters/page/assets.ts';
import { thumbnailSize, thumbnails } from '../../adapters/thumbnails/thumbnails.ts';
import { reportDocument } from '../../report/page/document.ts';
import type { ReportData } from '../../report/page/report-data.ts';

export interface Rendered {
  readonly bytes: Buffer;
  readonly pictures: { readonly shown: number; readonly missing: number };
}

/** `files`: what thumbnails are made of, by the numbers of the pictures; undefined: it must not be read. */
export async function renderReport(
  data: ReportData,
  files: readonly (string | undefined)[],
): Promise<Rendered> {
  const [page, pictures] = await Promise.all([
    pageAssets(),
    thumbnails(files, thumbnailSize(files.length)),
  ]);
  const scriptHash = createHash('sha256').update(page.script).digest('base64');
  const pieces = [...reportDocument({ data, pictures, page, scriptHash })];
  const shown = pictures.filter((picture) => picture !== undefined).length;
  return {
    bytes: Buffer.from(pieces.join('')),
    pictures: { shown, missing: pictures.length - shown },
  };
}
