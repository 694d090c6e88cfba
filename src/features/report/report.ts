// `report`: writes one HTML file that shows what a pipeline made, and what it cost. Sends nothing.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { systemCode } from '../../base/system-error.ts';
import { realClock } from '../../core/clock.ts';
import type { OutsideOptions } from '../../files/boundary.ts';
import { placeOf, replaceFile } from '../../files/replace-file.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { pageAssets } from '../../report/assets.ts';
import { reportDocument, reportMark } from '../../report/page/document.ts';
import { PictureNumbers } from '../../report/page/report-builder.ts';
import type { ReportData, ReportItem } from '../../report/page/report-data.ts';
import { thumbnailSize, thumbnails } from '../../report/thumbnails.ts';
import { locateState, stateFilesOf } from '../../state/locate-state.ts';
import type { ReadOptions } from '../open-state.ts';
import { refuse, refuseSystemError } from '../refuse.ts';
import { gatherReport } from './gather.ts';

export interface ReportOptions extends ReadOptions, OutsideOptions {
  /** `--out`: the HTML file, relative to the working folder. Default: `report.html` in the output folder. */
  readonly out?: string | undefined;
  /** `--no-inputs` is false: the report holds no input's picture, hash or parameters. Default: true. */
  readonly inputs?: boolean | undefined;
}

export interface Reported {
  /** The HTML file. */
  readonly file: string;
  readonly bytes: number;
  readonly items: number;
  /**
   * The small pictures in the report, the files that no picture could be made of, and those that a report of many items leaves
   * out: the page shows the files beside it instead.
   */
  readonly pictures: { readonly shown: number; readonly missing: number; readonly left: number };
}

/**
 * Writes a report: one HTML file, which opens from disk and can be sent to somebody else.
 *
 * @example
 * ```ts
 * import { loadPipeline, report } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const reported = await report(pipeline, { out: 'report.html' });
 * console.log(reported.file, reported.bytes);
 * ```
 */
export async function report(
  loaded: LoadedPipeline,
  options: ReportOptions = {},
): Promise<Reported> {
  const bound = boundPipeline(loaded);
  const { clock = realClock, onWarning = () => undefined, inputs = true } = options;
  const { paths, rehearsal } = locateState(bound, options);
  const { out } = options;
  const named = out ?? resolve(paths.output, 'report.html');
  const found = placeOf(named);
  if ('refused' in found) refuse(`the report ${named} ${found.refused}`);
  const { place } = found;
  const taken = [resolve(bound.file), ...stateFilesOf(bound, options)].map(realPathOr);
  if (taken.includes(realPathOr(place)))
    refuse(`the report cannot replace ${named}: it is a file of the pipeline`);
  if (out === undefined && (await isOthersFile(place)))
    refuse(
      `${place} is not a report of shotlist, so it was not replaced`,
      'choose another file with --out',
    );
  const pictures = new PictureNumbers();
  const { data, fileOf } = await gatherReport(bound, options, {
    paths,
    rehearsal,
    pictures,
    inputs,
    clock,
    onWarning,
    needsState: true,
    env: options.env ?? process.env,
    onState: options.onState,
    hrefOf: (file) => hrefFrom(resolve(place, '..'), file),
  });
  const chosen = chosenPictures(data);
  const files = pictures.all.map((source, number) =>
    chosen.has(number) ? fileOf(source) : undefined,
  );
  const rendered = await renderReport(data, files, chosen.size);
  try {
    await replaceFile(place, rendered.bytes);
  } catch (error) {
    refuseSystemError(error, `the report ${named}`);
  }
  return {
    file: place,
    bytes: rendered.bytes.length,
    items: data.items.length,
    pictures: {
      shown: rendered.shown,
      missing: chosen.size - rendered.shown,
      left: pictures.all.length - chosen.size,
    },
  };
}

/** The link of a report in `from` to a file below it. */
function hrefFrom(from: string, file: string): string | undefined {
  if (!isWithin(file, from)) return undefined;
  return relative(from, file).split(sep).map(encodeURIComponent).join('/');
}

// Whether a file is a report that shotlist wrote.

/** True if there is a file that is not a report. */
async function isOthersFile(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(reportMark.length), 0);
    return buffer.subarray(0, bytesRead).toString('latin1') !== reportMark;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

// Renders a report: makes the thumbnails, and puts them and the page into one file.

interface Rendered {
  readonly bytes: Buffer;
  /** The number of small pictures in it. */
  readonly shown: number;
}

/** `files`: what thumbnails are made of, by the numbers of the pictures; undefined: none is made. `many`: the number of the others. */
async function renderReport(
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

// Which small pictures a report holds if it has very many: each takes time to make, and the page also shows the files beside it.

/** About ten seconds of two processors, and 20 MB. */
const maxPictures = 2_500;

/** The numbers of the pictures: first the inputs of items that need a person, then input and result of each item, then all others. */
export function chosenPictures(
  { items, shared }: Pick<ReportData, 'items' | 'shared'>,
  most = maxPictures,
): ReadonlySet<number> {
  const chosen = new Set<number>();
  const choose = (number: number | undefined): void => {
    if (number !== undefined && chosen.size < most) chosen.add(number);
  };
  const isTrouble = ({ state }: ReportItem): boolean => state === 'failed' || state === 'doubt';
  const all = [shared, ...items];
  for (const { inputs } of all.filter(isTrouble)) choose(inputs[0]?.picture);
  for (const { inputs, outputs } of all) {
    choose(inputs[0]?.picture);
    choose(outputs.findLast(({ picture }) => picture !== undefined)?.picture);
  }
  for (const { inputs, outputs, tasks } of all) {
    const takes = tasks.flatMap(({ takes = [] }) => takes.flatMap(({ files }) => files));
    for (const { picture } of [...inputs, ...outputs, ...takes]) choose(picture);
  }
  return chosen;
}
