// shotlist report: writes one HTML file with everything that a pipeline made.

import { relative } from 'node:path';
import { count, size } from '../../base/text.ts';
import type { ReportFlags } from '../../terminal/flags.ts';
import { command } from '../command.ts';
import { type Reported, report } from './report.ts';

export const reportCommand = (file: string, flags: ReportFlags): Promise<number> =>
  command(file, flags, (pipeline, reports) => report(pipeline, { ...flags, ...reports }), {
    text: (reported) => reportText(reported),
  });

function reportText({ file, bytes, items, pictures }: Reported): string {
  const near = relative('.', file);
  const shown = near.startsWith('..') ? file : near;
  const of = items === 0 ? '' : `${count(items, 'item')}, `;
  const left =
    pictures.left === 0
      ? ''
      : `\nFor ${count(pictures.left, 'more file')} it holds no picture: the page shows the results from their files, if they are beside it.`;
  return `Wrote ${shown}: ${of}${count(pictures.shown, 'picture')}, ${size(bytes)}. Open it in a browser.${left}`;
}
