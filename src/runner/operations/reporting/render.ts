// Renders a report: makes the thumbnails, and puts them and the page into one file.
import { createHash } from 'node:crypto';
import { pageAssets } from '../../adapters/page/assets.ts';
import { thumbnailSize, thumbnails } from '../../adapters/thumbnails/thumbnails.ts';
import { reportDocument } from '../../report/page/document.ts';
import type { ReportData } from '../../report/page/report-data.ts';

export interface Rendered {
  readonly bytes: Buffer;
  /** The number of small pictures in it. */
  readonly shown: number;
}

/** `files`: what thumbnails are made of, by the numbers of the pictures; undefined: none is made. `many`: the number of the others. */
export async function renderReport(
  data: ReportData,
  files: readonly (string | undefined)[],
  many: number,
): Promise<Rendered> {
  const [page, pictures] = await Promise.all([
    pageAssets(),
    thumbnails(files, thumbnailSize(many)),
  ]);
  const scriptHash = createHash('sha256').update(page.script).digest('base64');
  const pieces = [...reportDocument({ data, pictures, page, scriptHash })];
  const shown = pictures.filter((picture) => picture !== undefined).length;
  return { bytes: Buffer.from(pieces.join('')), shown };
}
