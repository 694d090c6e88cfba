// Codes SL219 to SL229: fan-outs inside an item, and steps that gather their results.
import type { Explanation, Lines } from './explanation.ts';

const images =
  '  img: { uses: ai-image-generator, with: { image_count: 4, model: flux-schnell, style: { prompt: a lighthouse } } }';
const more = images.replace('img:', 'more:');
const upscale = (name: string, url: string, list = ''): string =>
  `  ${name}: {${list} uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ ${url} }}" } } }`;
const over = (of: string): string => ` for_each: "\${{ steps.${of}.downloads }}",`;
const up = upscale('up', 'each.url', over('img'));
const save = (of: string, to: string): string =>
  `  save: { uses: download, with: { of: ${of}, to: "${to}" } }`;
const saved = save('up', 'lighthouse-${{ each.index }}.png');
const lighthouse = (...steps: Lines): Lines => ['pipeline: lighthouse', 'steps:', ...steps];
const items = 'items: { glob: "photos/*.jpg" }';
const photo = '  photo: { uses: upload, with: { file: "${{ item.path }}" } }';
const portraits = (...steps: Lines): Lines => ['pipeline: portraits', items, 'steps:', ...steps];
const group = (list: string, more = ''): string =>
  `  group: {${more} uses: ai-image-editor, with: { image_count: 1, style: { prompt: all at one table }, assets: { image_file_paths: ${list} } } }`;
const everybody = '"${{ steps.photo.all.map(p, p.file_path).take(9) }}"';
const grouped = save('group', 'group.png');

const everyName: Lines = [
  'pipeline: portraits',
  'items: { csv: lists.csv }',
  'steps:',
  '  photo: { for_each: "${{ item.list.split(\',\') }}", uses: upload, with: { file: "${{ each.value }}.jpg" } }',
];

export const fanOutCodes = {
  SL219: {
    title: 'An expression uses each outside of a fan-out.',
    meaning:
      'each is the element of a step with `for_each`, and of the steps that follow one because they use its outputs. Add `for_each` to the step.',
    wrong: lighthouse(images, upscale('up', 'each.url'), save('up', 'lighthouse.png')),
    right: lighthouse(images, up, saved),
  },
  SL220: {
    title: 'The elements of a fan-out have no field of this name.',
    meaning:
      'An element of downloads has url, an element of faces has path. Every element has index and value.',
    wrong: lighthouse(images, up.replace('each.url', 'each.uri'), saved),
    right: lighthouse(images, up, saved),
  },
  SL221: {
    title: 'A fan-out is inside another one.',
    meaning:
      'A step with `for_each` cannot follow another fan-out. To continue element by element, remove `for_each`. To begin with the results of all elements, use `steps.<name>.all`.',
    wrong: lighthouse(
      images,
      up,
      upscale('again', 'each.url', over('up')),
      save('again', 'lighthouse-${{ each.index }}.png'),
    ),
    right: lighthouse(
      images,
      up,
      upscale('again', 'steps.up.url'),
      save('again', 'lighthouse-${{ each.index }}.png'),
    ),
  },
  SL222: {
    title: 'A step follows two fan-outs.',
    meaning:
      'A step that uses the outputs of a fan-out runs once for each of its elements, and the elements of two fan-outs do not belong together. Use all elements of one of them: `steps.<name>.all`.',
    wrong: lighthouse(
      images,
      more,
      up,
      upscale('big', 'each.url', over('more')),
      '  both: { uses: ai-image-editor, with: { image_count: 1, style: { prompt: both in one }, assets: { image_file_paths: ["${{ steps.up.url }}", "${{ steps.big.url }}"] } } }',
      save('both', 'both-${{ each.index }}.png'),
    ),
    right: lighthouse(images, up, saved),
  },
  SL223: {
    title: 'A step of an item follows a fan-out that runs once for all items.',
    meaning:
      'The elements are the same for every item, so the step does not know which one is meant. Use all of them, with `steps.<name>.all`, or give the step a `for_each` of its own.',
    wrong: portraits(
      images,
      upscale('up', 'each.url', over('img')),
      photo,
      '  both: { uses: ai-image-editor, with: { image_count: 1, style: { prompt: both in one }, assets: { image_file_paths: ["${{ steps.up.url }}", "${{ steps.photo.file_path }}"] } } }',
      save('both', '${{ item.stem }}.png'),
    ),
    right: portraits(
      images,
      upscale('up', 'each.url', over('img')),
      photo,
      '  both: { uses: ai-image-editor, with: { image_count: 1, style: { prompt: both in one }, assets: { image_file_paths: ["${{ steps.up.all[0].url }}", "${{ steps.photo.file_path }}"] } } }',
      save('both', '${{ item.stem }}.png'),
    ),
  },
  SL224: {
    title: 'A download or a delete follows a fan-out to which its step does not belong.',
    meaning:
      'The step of of: runs once, so every element would save or delete the same. Refer to no element of the fan-out, or name a step that belongs to it.',
    wrong: lighthouse(
      images,
      up,
      saved,
      save('img', '${{ steps.up.id }}.png').replace('save', 'all'),
    ),
    right: lighthouse(images, up, saved, save('img', 'all/').replace('save', 'all')),
  },
  SL225: {
    title: 'A step has `on_missing` and gathers nothing.',
    meaning:
      '`on_missing` says what an item or an element without a result means for `steps.<name>.all`. Without such a list, it has no meaning. Remove it.',
    wrong: portraits(
      photo,
      '  cut: { on_missing: skip, uses: image-background-remover, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }',
      save('cut', '${{ item.stem }}.png'),
    ),
    right: portraits(photo, group(everybody, ' on_missing: skip,'), grouped),
  },
  SL226: {
    title: 'A step uses single elements of a fan-out, and all of them.',
    meaning:
      'A step runs either once for each element or once for all of them. Make two steps, or use only one of the two.',
    wrong: lighthouse(
      images,
      up,
      '  both: { uses: ai-image-editor, with: { image_count: 1, style: { prompt: both in one }, assets: { image_file_paths: ["${{ steps.up.url }}", "${{ steps.up.all[0].url }}"] } } }',
      save('both', 'both-${{ each.index }}.png'),
    ),
    right: lighthouse(images, up, saved),
  },
  SL227: {
    title: 'An expression gathers the results of a step that runs only once.',
    meaning:
      '`steps.<name>.all` is the list of the outputs for all items, or for all elements of a fan-out. A step that runs once has only its outputs.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      photo.replace('${{ item.path }}', 'photo.jpg'),
      group('"${{ steps.photo.all.map(p, p.file_path) }}"'),
      grouped,
    ],
    right: [
      'pipeline: portraits',
      'steps:',
      photo.replace('${{ item.path }}', 'photo.jpg'),
      group('["${{ steps.photo.file_path }}"]'),
      grouped,
    ],
  },
  SL228: {
    title: 'A step of an item gathers the results of all items.',
    meaning:
      'The list exists when all items are done, so only a step that refers to no item can use it. Such a step runs once.',
    wrong: portraits(
      photo,
      group(everybody).replace('prompt: all at one table', 'prompt: "${{ item.stem }}"'),
      grouped.replace('group.png', '${{ item.stem }}.png'),
    ),
    right: portraits(photo, group(everybody), grouped),
  },
  SL229: {
    title: 'A fan-out has too many elements.',
    meaning:
      'A list of `for_each` has at most 1,000 elements. Take the first of them, or use items.',
    found: 'plan',
    wrong: {
      pipeline: everyName,
      files: { 'lists.csv': `list\n"${Array.from({ length: 1001 }, () => 'photo').join(',')}"\n` },
    },
    right: {
      pipeline: everyName,
      files: {
        'lists.csv': 'list\n"photo,portrait"\n',
        'photo.jpg': 'a photo',
        'portrait.jpg': 'a portrait',
      },
    },
  },
} as const satisfies Readonly<Record<`SL2${string}`, Explanation>>;
