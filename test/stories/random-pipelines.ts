// Random pipelines, random histories: what a property of plan and run is tried on.
import fc from 'fast-check';
import type { Fate } from '../kit/service.ts';
import type { Cut } from '../kit/world.ts';

export interface StepSpec {
  readonly kind:
    | 'upload'
    | 'detect'
    | 'colour'
    | 'head'
    | 'swap'
    | 'variants'
    | 'each'
    | 'group'
    | 'save'
    | 'tidy';
  readonly a: number;
  readonly b: number;
  readonly own: boolean;
  readonly condition: 'none' | 'item' | 'faces' | 'each';
  readonly needs: number | null;
  readonly discard: boolean;
}

export interface ItemSpec {
  readonly n: number;
  readonly file: number;
}

export interface Selection {
  readonly only: readonly number[];
  readonly until: readonly number[];
  readonly exclude: readonly number[];
  /** Indexes of items; null: all. */
  readonly items: readonly number[] | null;
  readonly requireOutputs: boolean;
  /** Stories that were found before this existed do not have it. */
  readonly payAgain?: boolean;
}

/** What becomes of a creation, by name. */
export const fatesByName = {
  fine: {},
  lost: { lost: 'taken' },
  'never-taken': { lost: 'not-taken' },
  error: { error: 'no_source_face' },
  endless: { ms: Number.POSITIVE_INFINITY },
  dearer: { charge: 20 },
  'dearer-and-back': { charge: 20, error: 'no_source_face' },
  rises: { final: 20 },
  'rises-late': { final: 20, ms: 12_000 },
  fewer: { results: 1 },
  gone: { gone: true },
  blinks: { blinks: 1 },
} as const satisfies Readonly<Record<string, Fate>>;

export type FateName = keyof typeof fatesByName;

export interface Mutation {
  readonly what:
    | 'lose-output'
    | 'edit-output'
    | 'edit-input'
    | 'lose-input'
    | 'break-input'
    | 'clone'
    | 'days'
    | 'lose-state'
    | 'other-pipeline'
    | 'clock-back'
    | 'settle'
    | 'turn-saves';
  readonly at: number;
}

/** What the disk does in a run. Stories that were found before this existed have none of it. */
export interface DiskTrouble {
  /** Every file with this number of its download cannot be put in its place. */
  readonly noPlace: number | null;
  /** Each sync takes so many milliseconds, and that of an intent ten times as many. */
  readonly syncMs: number;
  /** The sync of the intent with this number of a run takes so long that the answers of others come first. */
  readonly held?: number | null;
}

export interface Round {
  /** What becomes of the creations, in their order; then all are fine. */
  readonly fates: readonly FateName[];
  readonly disk?: DiskTrouble;
  /** The run is killed there; then a run that is not follows. */
  readonly cut?: Cut | null;
  /** A run of another pipeline that wants the same goes on at the same time. */
  readonly beside?: boolean;
  readonly selection: Selection;
  readonly after: readonly Mutation[];
}

/** In credits; null: no cap. */
export interface Caps {
  readonly run: number | null;
  readonly item: number | null;
  readonly day: number | null;
  /** The cap of each run is what its plan says that all of it costs, and so much more. */
  readonly spare?: number | null;
}

export interface Story {
  readonly steps: readonly StepSpec[];
  readonly items: readonly ItemSpec[];
  readonly window: number;
  readonly caps: Caps;
  /** Downloads of projects that items share may be skipped, and what others want may be thrown away: then time decides, and no plan can. */
  readonly loose?: boolean;
  /** The user has receipts: then state files get lost, and another pipeline wants the same. */
  readonly receipts: boolean;
  readonly rounds: readonly Round[];
  readonly last: Round;
}

const index = fc.nat(9);

const stepOf = (...kinds: readonly StepSpec['kind'][]): fc.Arbitrary<StepSpec> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    a: index,
    b: index,
    own: fc.boolean(),
    condition: fc.constantFrom<StepSpec['condition'][]>(
      ...(['none', 'none', 'none', 'none', 'item', 'faces', 'each'] as const),
    ),
    needs: fc.option(index, { freq: 5 }),
    discard: fc.nat(4).map((number) => number === 0),
  });

const tools = ['colour', 'colour', 'head', 'variants', 'each'] as const;
const others = [
  'upload',
  'detect',
  'swap',
  'group',
  'save',
  'save',
  'save',
  'tidy',
  'tidy',
] as const;
const steps: fc.Arbitrary<readonly StepSpec[]> = fc
  .tuple(
    stepOf('upload'),
    stepOf(...tools),
    fc.array(stepOf(...tools, ...others), { minLength: 1, maxLength: 8 }),
  )
  .map(([first, second, more]) => [first, second, ...more]);

const few = fc.array(index, { maxLength: 2 });
const mostly = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: few });

const selection: fc.Arbitrary<Selection> = fc.record({
  only: mostly,
  until: mostly,
  exclude: mostly,
  items: fc.option(few, { freq: 4 }),
  requireOutputs: fc.nat(3).map((number) => number === 0),
  payAgain: fc.nat(2).map((number) => number === 0),
});

const mutation: fc.Arbitrary<Mutation> = fc.record({
  what: fc.constantFrom<Mutation['what'][]>(
    'lose-output',
    'lose-output',
    'edit-output',
    'edit-input',
    'lose-input',
    'break-input',
    'clone',
    'days',
    'lose-state',
    'other-pipeline',
    'clock-back',
    'settle',
    'settle',
    'turn-saves',
  ),
  at: index,
});

const kind = fc.array(
  fc.constantFrom<FateName[]>('fine', 'fine', 'fine', 'lost', 'error', 'endless'),
  { maxLength: 6 },
);
const unkind = fc.array(fc.constantFrom<FateName[]>(...(Object.keys(fatesByName) as FateName[])), {
  maxLength: 6,
});
const fates = fc.oneof(kind, unkind);

export const calm: DiskTrouble = { noPlace: null, syncMs: 1 };

const disk: fc.Arbitrary<DiskTrouble> = fc.record({
  noPlace: fc.option(fc.constantFrom(1, 2), { freq: 2 }),
  syncMs: fc.constantFrom(1, 1, 200, 3000),
  held: fc.constantFrom(null, null, 2, 3),
});

const anyCut: fc.Arbitrary<Cut> = fc.oneof(
  fc.record({
    line: fc.integer({ min: 1, max: 16 }),
    when: fc.constantFrom('before', 'after'),
  }),
  fc.record({
    request: fc.integer({ min: 1, max: 20 }),
    when: fc.constantFrom('before', 'after'),
  }),
);
const cut: fc.Arbitrary<Cut | null> = fc.option(anyCut, { freq: 2 });

/** A creation of these pipelines costs 5 to 15 credits. */
const cap = fc.option(
  fc.nat(12).map((number) => number * 5),
  { freq: 2 },
);
const caps: fc.Arbitrary<Caps> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ run: null, item: null, day: null }) },
  { weight: 1, arbitrary: fc.record({ run: cap, item: cap, day: cap }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0, 0, 5)
      .map((spare) => ({ run: null, item: null, day: null, spare })),
  },
);

/** Of the last one there is none. */
const file = fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4);

const beside = fc.nat(3).map((number) => number === 0);

const anyStory: fc.Arbitrary<Story> = fc.record({
  steps,
  items: fc.array(fc.record({ n: fc.nat(3), file }), { minLength: 1, maxLength: 4 }),
  window: fc.constantFrom(1, 2, 16),
  caps,
  loose: fc.nat(3).map((number) => number === 0),
  receipts: fc.nat(2).map((number) => number === 0),
  rounds: fc.array(
    fc.record({ fates, disk, cut, beside, selection, after: fc.array(mutation, { maxLength: 3 }) }),
    { maxLength: 2 },
  ),
  last: fc.record({
    fates: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fates }),
    disk: fc.oneof({ weight: 3, arbitrary: fc.constant(calm) }, { weight: 1, arbitrary: disk }),
    cut,
    selection,
    after: fc.array(mutation, { maxLength: 1 }),
  }),
});

const all: Selection = {
  only: [],
  until: [],
  exclude: [],
  items: null,
  requireOutputs: false,
};

const noCaps: Caps = { run: null, item: null, day: null };

/** A step that `pipelineText` makes of these and of what stands before it. */
const stepAs = (kind: StepSpec['kind'], a: number): StepSpec => ({
  ...{ kind, a, b: 1, own: true, condition: 'none', needs: null, discard: false },
});

/** Two creations that do not wait for each other, and whose uploads take different times, under a cap that just fits. */
const twoAtOnce = ({ steps: [first = stepAs('upload', 0), ...others] }: Story) => ({
  steps: [
    first,
    { ...stepAs('upload', 1), own: false },
    stepAs('colour', 2),
    stepAs('head', 1),
    ...others.slice(2),
  ],
  window: 16,
  caps: { ...noCaps, spare: 0 },
});

/** Stories in which chance brings together too seldom what only counts together. */
const bends: readonly ((story: Story) => Story)[] = [
  // What was planned fits exactly, and becomes dearer while the next intent is being written.
  (story) => {
    const dear = <R extends Round>(round: R): R => ({
      ...round,
      fates: ['dearer', ...round.fates],
      disk: { noPlace: null, syncMs: 1, held: 2 },
      cut: null,
      selection: all,
    });
    const { rounds, last } = story;
    return { ...story, ...twoAtOnce(story), rounds: rounds.map(dear), last: dear(last) };
  },
  // What was planned fits no more, until something is given back.
  (story) => {
    const last: Round = { ...story.last, fates: ['dearer-and-back'], cut: null, selection: all };
    return { ...story, ...twoAtOnce(story), rounds: [], last };
  },
  // One file of two is saved; then nobody wants the files any more.
  (story) => {
    const [first = stepAs('upload', 0), ...others] = story.steps;
    const steps = [first, stepAs('variants', 1), ...others, stepAs('save', 0), stepAs('tidy', 0)];
    const half: Round = {
      ...{ fates: [], selection: all, disk: { noPlace: 2, syncMs: 1 } },
      after: [{ what: 'turn-saves', at: 0 }],
    };
    return { ...story, steps, caps: noCaps, rounds: [half, ...story.rounds.slice(0, 1)] };
  },
  // A list of results, one of which a later run may still learn.
  (story) => {
    const group = { ...stepAs('group', 1), b: 0 };
    const steps = [stepAs('upload', 0), stepAs('colour', 1), group, ...story.steps.slice(3)];
    const last: Round = { ...story.last, fates: ['lost', 'fine'], cut: null, selection: all };
    const items = [...story.items, { n: 2, file: 0 }, { n: 2, file: 1 }];
    return { ...story, steps, items, caps: noCaps, rounds: [], last };
  },
  // The clock is behind in a run that buys, on a day that the record has seen.
  (story) => {
    const { rounds, last } = story;
    const before: Round = {
      ...{ fates: [], selection: { ...all, until: [0] } },
      after: [{ what: 'clock-back', at: 3 }],
    };
    const buying: Round = { ...(rounds[0] ?? last), cut: null, selection: all, after: [] };
    const caps = { ...noCaps, day: story.caps.day ?? 20 };
    return {
      ...story,
      caps,
      rounds: [before, buying],
      last: { ...last, cut: null, selection: all },
    };
  },
];

export const stories: fc.Arbitrary<Story> = fc.oneof(
  { weight: bends.length, arbitrary: anyStory },
  ...bends.map((bend) => ({ weight: 1, arbitrary: anyStory.map(bend) })),
);

/** Each run but the last goes on beside one of another pipeline that wants the same, and most of them are killed. */
export const storiesOfTwo: fc.Arbitrary<Story> = fc
  .tuple(stories, fc.array(fc.option(anyCut, { freq: 6 }), { minLength: 3, maxLength: 3 }))
  .map(([story, cuts]) => ({
    ...story,
    receipts: true,
    rounds: [...story.rounds, { ...story.last, after: [] }].map((round, at) => ({
      ...round,
      beside: true,
      cut: cuts[at] ?? null,
    })),
  }));

interface Written {
  readonly name: string;
  /** It runs for each item. */
  readonly own: boolean;
  /** The fan-out that it belongs to. */
  readonly fan: string | undefined;
  /** The number of its results is in its request. */
  readonly counted?: boolean;
  /** It waits for a step that gathers, so no item may wait for it. */
  readonly late?: boolean;
  /** The tool that it saves. */
  readonly of?: string | undefined;
}

/** The text of a pipeline, and its steps' names. Not every text is valid. */
export function pipelineText({ steps: specs, items, window, caps, loose = false }: Story): string {
  // Downloads come before deletes, so that a delete knows of them.
  const [first, ...others] = specs;
  const steps = [
    ...(first === undefined ? [] : [{ ...first, kind: 'upload' } as const]),
    ...others.filter(({ kind }) => kind !== 'tidy'),
    ...others.filter(({ kind }) => kind === 'tidy'),
  ];
  const uploads: Written[] = [];
  const faces: Written[] = [];
  const tools: Written[] = [];
  const saves: Written[] = [];
  const all: Written[] = [];
  const lines: string[] = [];
  for (const [number, spec] of steps.entries()) {
    const name = `${spec.kind}${number}`;
    const used: Written[] = [];
    const pick = (from: readonly Written[], at: number): Written | undefined => {
      const found = from[at % Math.max(1, from.length)];
      if (found !== undefined) used.push(found);
      return found;
    };
    const asset = (at: number): string | undefined => {
      const found = pick(at % 3 === 0 && tools.length > 0 ? tools : uploads, at);
      if (found === undefined) return undefined;
      return `"\${{ steps.${found.name}.${tools.includes(found) ? 'url' : 'file_path'} }}"`;
    };
    const written = bodyOf(spec, name, { uploads, faces, tools, saves, loose }, { pick, asset });
    if (written === undefined) continue;
    const condition =
      (spec.kind === 'save' && items.length > 1 && !loose) || spec.kind === 'group'
        ? undefined
        : spec.condition === 'item' && spec.kind !== 'swap'
          ? 'item.n > 1'
          : spec.kind === 'swap'
            ? `size(steps.${pick(faces, spec.a)?.name}.faces) > 0`
            : spec.condition === 'faces' && faces.length > 0
              ? `size(steps.${pick(faces, spec.b)?.name}.faces) > 2`
              : spec.condition === 'each' && spec.kind === 'each'
                ? 'each.index != 1'
                : undefined;
    const fans = spec.kind === 'group' ? [] : used.flatMap(({ fan }) => fan ?? []);
    const fan = spec.kind === 'each' ? name : fans[0];
    const own =
      written.own ||
      condition?.startsWith('item') === true ||
      ((spec.kind === 'group' ? used.some((one) => one.fan !== undefined) : true) &&
        used.some((other) => other.own));
    const isAfterGroup = used.some(({ late }) => late === true);
    // Fan-outs are not nested, a step follows one, and what waits for all items is none of theirs.
    if (new Set([...fans, fan ?? []].flat()).size > 1 || (own && isAfterGroup)) continue;
    if (fan !== undefined && own && used.some((one) => one.fan !== undefined && !one.own)) continue;
    const needed =
      spec.needs === null || spec.kind === 'group'
        ? undefined
        : all[spec.needs % Math.max(1, all.length)];
    const needs = own && needed?.late === true ? undefined : needed;
    const more = [
      written.more ?? '',
      condition === undefined ? '' : `, if: "${condition}"`,
      needs === undefined ? '' : `, needs: [${needs.name}]`,
    ].join('');
    lines.push(`  ${name}: { uses: ${written.uses}${more}, with: ${written.with} }`);
    const late = spec.kind === 'group' || isAfterGroup || needs?.late === true;
    const [of] = spec.kind === 'save' ? used : [];
    const entry = { name, own, fan, counted: spec.kind === 'variants', late, of: of?.name };
    all.push(entry);
    if (spec.kind === 'upload') uploads.push(entry);
    else if (spec.kind === 'detect') faces.push(entry);
    else if (spec.kind === 'save') saves.push(entry);
    else if (spec.kind !== 'tidy') tools.push(entry);
  }
  const values = items.map(
    ({ n, file }, at) => `    - { key: k${at}, n: ${n}, file: f${file}.png }`,
  );
  return [
    'pipeline: p',
    `limits: { items: ${window} }`,
    ...budgetOf(caps),
    'items:',
    '  values:',
    ...values,
    'steps:',
    ...lines,
    '',
  ].join('\n');
}

/** The cap of a run is given to the run. */
function budgetOf({ item, day }: Caps): readonly string[] {
  const set = [
    ...(item === null ? [] : [`per_item: ${item}`]),
    ...(day === null ? [] : [`per_day: ${day}`]),
  ];
  return set.length === 0 ? [] : [`budget: { ${set.join(', ')} }`];
}

interface Lists {
  readonly uploads: readonly Written[];
  readonly faces: readonly Written[];
  readonly tools: readonly Written[];
  readonly saves: readonly Written[];
  readonly loose: boolean;
}

interface Picking {
  readonly pick: (from: readonly Written[], at: number) => Written | undefined;
  readonly asset: (at: number) => string | undefined;
}

interface Body {
  readonly uses: string;
  readonly with: string;
  readonly own: boolean;
  /** Other fields of the step. */
  readonly more?: string;
}

function bodyOf(
  spec: StepSpec,
  name: string,
  { uploads, faces, tools, saves, loose }: Lists,
  { pick, asset }: Picking,
): Body | undefined {
  const { kind, a, b, own } = spec;
  switch (kind) {
    case 'upload': {
      const saved = b % 4 === 0 ? pick(saves, a) : undefined;
      if (saved !== undefined)
        return { uses: 'upload', with: `{ file: "\${{ steps.${saved.name}.path }}" }`, own: false };
      const file = own ? '"${{ item.file }}"' : `s${a % 2}.png`;
      return { uses: 'upload', with: `{ file: ${file} }`, own };
    }
    case 'detect': {
      const target = asset(a);
      return target === undefined
        ? undefined
        : { uses: 'face-detect', with: `{ target_file_path: ${target} }`, own: false };
    }
    case 'colour': {
      const target = asset(a);
      if (target === undefined) return undefined;
      // The service shows this name, so it names the task.
      const shown = own && b % 2 === 0 ? `name: "${name}:\${{ item.key }}", ` : '';
      return {
        uses: 'photo-colorizer',
        with: `{ ${shown}assets: { image_file_path: ${target} } }`,
        own: shown !== '',
      };
    }
    case 'head': {
      const [head, body] = [asset(a), asset(b)];
      if (head === undefined || body === undefined) return undefined;
      const assets = `{ head_file_path: ${head}, body_file_path: ${body} }`;
      return { uses: 'head-swap', with: `{ assets: ${assets} }`, own: false };
    }
    case 'swap': {
      const found = pick(faces, a);
      const [target, face] = [asset(b), asset(a)];
      if (found === undefined || target === undefined || face === undefined) return undefined;
      const mappings = `"\${{ steps.${found.name}.faces.map(f, {'original_face': f.path, 'new_face': ${face.slice(4, -3).trim()}}) }}"`;
      return {
        uses: 'face-swap-photo',
        with: `{ assets: { face_swap_mode: individual-faces, target_file_path: ${target}, face_mappings: ${mappings} } }`,
        own: false,
      };
    }
    case 'variants': {
      const style = `style: { prompt: ${own ? '"${{ item.key }}"' : 'a tram'} }`;
      return {
        uses: 'ai-image-generator',
        with: `{ image_count: ${1 + (a % 3)}, model: flux-schnell, resolution: 640px, ${style} }`,
        own,
      };
    }
    case 'each': {
      const list = listOf(b, faces, tools, pick);
      const target = list.value ?? asset(a);
      if (target === undefined) return undefined;
      // Two elements of a list of constants are alike, unless their index is part of the request.
      const size = a % 2 === 0 ? 'max_resolution: "${{ 512 + each.index }}", ' : '';
      const assets = `{ head_file_path: ${target}, body_file_path: ${target} }`;
      const more = `, for_each: ${list.text}`;
      return { uses: 'head-swap', with: `{ ${size}assets: ${assets} }`, own: false, more };
    }
    case 'group': {
      const many = [...uploads, ...tools].filter((one) => one.own || one.fan !== undefined);
      const of = pick(many, a);
      if (of === undefined) return undefined;
      const output = uploads.includes(of) ? 'file_path' : 'url';
      const all = `steps.${of.name}.all`;
      const list = `"\${{ ${all}.map(one, one.${output}).take(5) }}"`;
      return {
        uses: 'ai-image-editor',
        with: `{ image_count: 1, model: flux-2-klein, resolution: 640px, assets: { image_file_paths: ${list} }, style: { prompt: all of them } }`,
        own: false,
        more: b % 2 === 0 ? ', on_missing: skip' : '',
      };
    }
    case 'save': {
      const of = pick(tools, a);
      if (of === undefined) return undefined;
      const mine = of.own || (own && of.fan === undefined && of.late !== true);
      const part = of.fan === undefined ? '' : '-${{ each.index }}';
      const to = mine ? `"${name}-\${{ item.key }}${part}.png"` : `"${name}${part}.png"`;
      return { uses: 'download', with: `{ of: ${of.name}, to: ${to} }`, own: mine };
    }
    case 'tidy': {
      // What is thrown away and wanted by another step with the same content is lost: that is what the word means.
      const alone = loose || (saves.length === 0 && tools.length === 1);
      const discard = spec.discard && alone ? ', discard: true' : '';
      const saved = tools.filter((one) => saves.some(({ of }) => of === one.name));
      const any = tools[a % Math.max(1, tools.length)];
      const of = pick(
        discard === '' && any !== undefined && !saved.includes(any) ? saved : tools,
        a,
      );
      return of === undefined
        ? undefined
        : { uses: 'delete', with: `{ of: ${of.name}${discard} }`, own: false };
    }
  }
}

interface List {
  readonly text: string;
  /** An asset of the element, if it has one. */
  readonly value?: string;
}

function listOf(
  at: number,
  faces: readonly Written[],
  tools: readonly Written[],
  pick: Picking['pick'],
): List {
  const counted = tools.filter((tool) => tool.counted === true);
  const variants = at % 3 === 0 ? pick(counted, at) : undefined;
  if (variants !== undefined)
    return { text: `"\${{ steps.${variants.name}.downloads }}"`, value: '"${{ each.url }}"' };
  const found = at % 3 === 1 ? pick(faces, at) : undefined;
  if (found !== undefined)
    return { text: `"\${{ steps.${found.name}.faces }}"`, value: '"${{ each.path }}"' };
  return { text: '[x, y]' };
}
