// The greatest value that a tool accepts for a number that is not known yet, for an upper bound of
// the price. The tool's own rules say what it accepts, so no limit is written down twice.
import { fieldOf, type JsonObject } from '../base/json.ts';
import { partOf, type Schema } from '../base/schema.ts';
import { breachesOf, type Tool } from './tool.ts';

/** Above this, a tool that limits clips takes every shorter one; below, a model may take only some lengths. */
const maxListedSeconds = 60;
/** Longer clips, and more images, are as good as unlimited. */
const maxClipSeconds = 7200;
const maxImages = 64;

/** Undefined if nothing is known to limit the field. `body` has the fields that are known. */
export function maxAccepted(tool: Tool, body: JsonObject, field: string): number | undefined {
  switch (field) {
    case 'start_seconds':
      // The clip is longest if it starts at 0.
      return 0;
    case 'end_seconds': {
      const start = fieldOf(body, 'start_seconds');
      const from = typeof start === 'number' ? start : 0;
      const known = { ...body, start_seconds: from };
      const most = longest(tool, known, field, from);
      if (most === undefined) return undefined;
      // A limit between two whole seconds.
      return accepts(tool, { ...known, [field]: most + 0.5 }, field) ? most + 1 : most;
    }
    case 'image_count':
      return accepts(tool, { ...body, [field]: maxImages }, field)
        ? undefined
        : highest((count) => accepts(tool, { ...body, [field]: count }, field), maxImages);
    default:
      return maximumOf(tool.request, field);
  }
}

/** The last accepted end of a clip, in whole seconds after its start. */
function longest(tool: Tool, body: JsonObject, field: string, from: number): number | undefined {
  const accepted = (seconds: number): boolean =>
    accepts(tool, { ...body, [field]: from + seconds }, field);
  if (accepted(maxClipSeconds)) return undefined;
  let least = highest(accepted, maxListedSeconds);
  if (least !== maxListedSeconds) return least === undefined ? undefined : from + least;
  for (let most = maxClipSeconds; most - least > 1; ) {
    const middle = Math.floor((least + most) / 2);
    if (accepted(middle)) least = middle;
    else most = middle;
  }
  return from + least;
}

function highest(accepted: (value: number) => boolean, most: number): number | undefined {
  for (let value = most; value > 0; value--) if (accepted(value)) return value;
  return undefined;
}

const accepts = (tool: Tool, body: JsonObject, field: string): boolean =>
  breachesOf(tool, body).every((breach) => breach.field !== field);

function maximumOf(schema: Schema, path: string): number | undefined {
  const most = partOf(schema, path.split('.'))?.['maximum'];
  return typeof most === 'number' ? most : undefined;
}
