// Checks that a request fits its model: durations, resolutions, counts, inputs and sound
// (api/models.ts). Unknown models are not checked; the service decides.
import {
  entryOf,
  imageModels,
  includes,
  type Range,
  spansText,
  unpricedVideoModels,
  videoAliases,
  videoEditModels,
  videoModels,
} from '../api/models.ts';
import { fieldOf, type JsonObject } from '../base/json.ts';
import { secondsIn } from './rules.ts';
import type { Rule, RuleBreach } from './tool.ts';

/** text-to-video and image-to-video. */
export const fitsVideoModel: Rule = {
  says: 'The model must support the length, the resolution and the sound.',
  check: videoModelBreaches,
};

/** ai-video-editor. */
export const fitsVideoEditModel: Rule = {
  says: 'The model must support the length of the clip and the resolution.',
  check: videoEditModelBreaches,
};

/** ai-image-generator. */
export const fitsImageModel: Rule = {
  says: 'The model must generate images, and support their number and the resolution.',
  check: imageModelBreaches,
};

/** ai-image-editor. */
export const fitsImageEditModel: Rule = {
  says: 'Set at least one image. The model must edit images, and support their number and the resolution.',
  check: imageEditModelBreaches,
};

export function videoModelBreaches(body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  const alias = entryOf(videoAliases, name);
  const model = entryOf(videoModels, alias?.model ?? name);
  const resolution = fieldOf(body, 'resolution');
  const end = fieldOf(body, 'end_seconds');
  const breaches: RuleBreach[] = [];
  if (model === undefined) {
    const { withoutSeconds = [], withoutResolutions = [] } =
      entryOf(unpricedVideoModels, name) ?? {};
    if (withoutResolutions.some((refused) => refused === resolution))
      breaches.push({ field: 'resolution', message: `${name} does not support ${resolution}` });
    if (withoutSeconds.some((refused) => refused === end))
      breaches.push({ field: 'end_seconds', message: `${name} does not support ${end} seconds` });
    return breaches;
  }
  breaches.push(...hasResolution(`${name}`, resolution, Object.keys(model.silent)));
  if (typeof end === 'number' && !includes(model.durations, end))
    breaches.push({
      field: 'end_seconds',
      message: `${name} supports ${spansText(model.durations)} seconds, not ${end}`,
    });
  if (model.audio === 'none' && alias?.audio !== true && fieldOf(body, 'audio') === true)
    breaches.push({
      field: 'audio',
      message: `${name} does not support audio: remove audio:, or choose another model`,
    });
  return breaches;
}

function videoEditModelBreaches(body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  const model = entryOf(videoEditModels, name);
  if (model === undefined) return [];
  const seconds = secondsIn(body);
  const breaches = [...hasResolution(`${name}`, fieldOf(body, 'resolution'), model.resolutions)];
  if (seconds !== undefined && seconds > 0 && !includes(model.seconds, seconds))
    breaches.push({
      field: 'end_seconds',
      message: `${name} edits clips of ${spansText(model.seconds)} seconds, not ${seconds}`,
    });
  return breaches;
}

function imageModelBreaches(body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  const model = entryOf(imageModels, name);
  if (model === undefined) return [];
  if (model.counts === undefined)
    return [
      {
        field: 'model',
        message: `${name} cannot generate images, only edit them: choose another model`,
      },
    ];
  const count = fieldOf(body, 'image_count');
  return [
    ...hasResolution(`${name}`, fieldOf(body, 'resolution'), [...model.resolutions, 'auto']),
    ...(typeof count === 'number' && !includes(model.counts, count)
      ? [countBreach(`${name}`, model.counts, count)]
      : []),
  ];
}

const countBreach = (name: string, counts: readonly Range[], count: number): RuleBreach => ({
  field: 'image_count',
  message: `${name} makes ${spansText(counts)} images per request, not ${count}`,
});

function imageEditModelBreaches(body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  const model = entryOf(imageModels, name);
  const one = fieldOf(body, 'assets.image_file_path');
  const list = fieldOf(body, 'assets.image_file_paths');
  // An expression stands for a list whose length is not known yet.
  const listed = Array.isArray(list) ? list.length : undefined;
  const breaches: RuleBreach[] = [];
  if (one === undefined && (list === undefined || listed === 0))
    breaches.push({
      field: 'assets',
      message: 'there is no image to edit: set image_file_path or image_file_paths',
    });
  if (model === undefined) return breaches;
  if (model.inputs === undefined)
    breaches.push({
      field: 'model',
      message: `${name} cannot edit images, only generate them: choose another model`,
    });
  const given = (listed ?? 0) + (one === undefined ? 0 : 1);
  if (model.inputs !== undefined && given > model.inputs)
    breaches.push({
      field: 'assets.image_file_paths',
      message: `${name} edits at most ${model.inputs} images together, not ${given}`,
    });
  const resolutions = [...model.resolutions, 'auto'];
  breaches.push(...hasResolution(`${name}`, fieldOf(body, 'resolution'), resolutions));
  return breaches;
}

function hasResolution(
  name: string,
  asked: unknown,
  resolutions: readonly string[],
): readonly RuleBreach[] {
  if (typeof asked !== 'string' || resolutions.includes(asked)) return [];
  return [
    { field: 'resolution', message: `${name} supports ${resolutions.join(', ')}, not ${asked}` },
  ];
}

/** Warnings about a request that may be correct: its model is not in our tables. */
export function cautionsOf(tool: string, body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  const known = knownModels(tool);
  if (known === undefined || typeof name !== 'string' || name === 'default') return [];
  if (known.priced.includes(name)) return [];
  const message = known.unpriced.includes(name)
    ? `the price and the limits of the model ${name} are not published, so shotlist does not check them`
    : `${JSON.stringify(name)} is not a known model of ${tool}; shotlist sends the name without a check`;
  return [{ field: 'model', message }];
}

function knownModels(
  tool: string,
): { readonly priced: readonly string[]; readonly unpriced: readonly string[] } | undefined {
  switch (tool) {
    case 'text-to-video':
    case 'image-to-video':
      return {
        priced: [...Object.keys(videoModels), ...Object.keys(videoAliases)],
        unpriced: Object.keys(unpricedVideoModels),
      };
    case 'ai-video-editor':
      return { priced: Object.keys(videoEditModels), unpriced: [] };
    case 'ai-image-generator':
      return { priced: Object.keys(imageModels), unpriced: ['seedream'] };
    case 'ai-image-editor':
      return { priced: Object.keys(imageModels), unpriced: [] };
    default:
      return undefined;
  }
}
