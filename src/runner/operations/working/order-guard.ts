// What an order may touch on this host. Orders come from a database: whoever can write there must not be able to make a
// worker read or write anything but the files of the pipeline.
import { resolve } from 'node:path';
import { err, type Result } from '../../../contract/base/result.ts';
import type { Boundary } from '../../adapters/files/boundary.ts';
import { outputPath } from '../../plan/output-path.ts';
import { readIssuedOrder } from '../../run/engine/issued-order.ts';
import type { IssuedOrder } from '../../run/engine/ports.ts';
import type { JobOrder, Place, Source } from '../../run/jobs/job.ts';

export interface Ground {
  /** Absolute: the folder of the pipeline file. */
  readonly folder: string;
  readonly boundary: Pick<Boundary, 'refusal'>;
}

/** Reads an order from the queue; the error is the end of a sentence about the order. */
export function readGuarded(value: unknown, ground: Ground): Result<IssuedOrder, string> {
  const read = readIssuedOrder(value);
  if (!read.ok) return read;
  const why = refusalOf(read.value.order, ground);
  return why === undefined ? read : err(why);
}

function refusalOf(order: JobOrder, { folder, boundary }: Ground): string | undefined {
  for (const path of pathsIn(order)) {
    const why = boundary.refusal(resolve(folder, path));
    if (why !== undefined) return `${path} ${why}`;
  }
  for (const to of targetsIn(order)) {
    const target = outputPath(to, { index: 0, count: 1, extension: 'bin' });
    if (!target.ok) return target.error;
  }
  return undefined;
}

/** Relative to the pipeline file. */
function pathsIn(order: JobOrder): readonly string[] {
  switch (order.operation) {
    case 'upload':
      return [...ofPlace(order.from), ...(order.stored === undefined ? [] : [order.stored.path])];
    case 'reupload':
      return order.files.flatMap(({ output, from }) => [output.path, ...ofPlace(from)]);
    case 'copy':
    case 'store':
      return order.sources.flatMap(({ output, from }) => [output.path, ...ofPlace(from)]);
    case 'digest':
      return order.places.flatMap(ofPlace);
    case 'delete':
      return (order.onlyStored ?? []).map(({ path }) => path);
    default:
      return [];
  }
}

const ofPlace = (place: Place | Source): readonly string[] => ('path' in place ? [place.path] : []);

/** Below the output folder. */
function targetsIn(order: JobOrder): readonly string[] {
  if ('to' in order) return [order.to];
  return 'saveTo' in order && order.saveTo !== undefined ? [order.saveTo] : [];
}
