// Random pipelines, random histories: what a property of plan and run is tried on.
import fc from 'fast-check';

export interface StepSpec {
  readonly kind: 'upload' | 'detect' | 'colour' | 'head' | 'swap' | 'save' | 'tidy';
  readonly a: number;
  readonly b: number;
  readonly own: boolean;
  readonly condition: 'none' | 'item' | 'faces';
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
}

export interface Mutation {
  readonly what:
    | 'lose-output'
    | 'edit-output'
    | 'edit-input'
    | 'lose-input'
    | 'break-input'
    | 'clone'
    | 'days';
  readonly at: number;
}

export interface Round {
  readonly fates: readonly ('fine' | 'lost' | 'error' | 'endless')[];
  readonly selection: Selection;
  readonly after: readonly Mutation[];
}

export interface Story {
  readonly steps: readonly StepSpec[];
  readonly items: readonly ItemSpec[];
  readonly window: number;
  readonly rounds: readonly Round[];
  readonly last: Selection;
}

const index = fc.nat(9);

const step: fc.Arbitrary<StepSpec> = fc.record({
  kind: fc.constantFrom<StepSpec['kind'][]>(
    'upload',
    'detect',
    'colour',
    'colour',
    'head',
    'swap',
    'save',
    'save',
    'save',
    'tidy',
    'tidy',
  ),
  a: index,
  b: index,
  own: fc.boolean(),
  condition: fc.constantFrom<StepSpec['condition'][]>('none', 'none', 'none', 'item', 'faces'),
  needs: fc.option(index, { freq: 5 }),
  discard: fc.nat(4).map((number) => number === 0),
});

const few = fc.array(index, { maxLength: 2 });
const mostly = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: few });

const selection: fc.Arbitrary<Selection> = fc.record({
  only: mostly,
  until: mostly,
  exclude: mostly,
  items: fc.option(few, { freq: 4 }),
  requireOutputs: fc.nat(3).map((number) => number === 0),
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
  ),
  at: index,
});

export const stories: fc.Arbitrary<Story> = fc.record({
  steps: fc.array(step, { minLength: 3, maxLength: 10 }),
  items: fc.array(fc.record({ n: fc.nat(3), file: fc.nat(4) }), { minLength: 1, maxLength: 4 }),
  window: fc.constantFrom(1, 2, 16),
  rounds: fc.array(
    fc.record({
      fates: fc.array(fc.constantFrom('fine', 'fine', 'fine', 'lost', 'error', 'endless'), {
        maxLength: 6,
      }),
      selection,
      after: fc.array(mutation, { maxLength: 3 }),
    }),
    { maxLength: 2 },
  ),
  last: selection,
});

interface Written {
  readonly name: string;
  readonly own: boolean;
}

/** The text of a pipeline, and its steps' names. Not every text is valid. */
export function pipelineText({ steps: specs, items, window }: Story): string {
  // Downloads come before deletes, so that a delete knows of them.
  const steps = [
    ...specs.filter(({ kind }) => kind !== 'tidy'),
    ...specs.filter(({ kind }) => kind === 'tidy'),
  ];
  const uploads: Written[] = [];
  const faces: Written[] = [];
  const tools: Written[] = [];
  const saves: Written[] = [];
  const all: string[] = [];
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
    const written = bodyOf(spec, name, { uploads, faces, tools, saves }, { pick, asset });
    if (written === undefined) continue;
    const condition =
      // Where items share a project, a skipped download of one is another's: then time decides, and no plan can.
      spec.kind === 'save' && items.length > 1
        ? undefined
        : spec.condition === 'item'
          ? 'item.n > 1'
          : spec.kind === 'swap'
            ? `size(steps.${pick(faces, spec.a)?.name}.faces) > 0`
            : spec.condition === 'faces' && faces.length > 0
              ? `size(steps.${pick(faces, spec.b)?.name}.faces) > 2`
              : undefined;
    const needs = spec.needs === null ? undefined : all[spec.needs % Math.max(1, all.length)];
    const more = [
      condition === undefined ? '' : `, if: "${condition}"`,
      needs === undefined ? '' : `, needs: [${needs}]`,
    ].join('');
    lines.push(`  ${name}: { uses: ${written.uses}${more}, with: ${written.with} }`);
    const own =
      written.own || condition?.startsWith('item') === true || used.some((other) => other.own);
    const entry = { name, own };
    all.push(name);
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
    'items:',
    '  values:',
    ...values,
    'steps:',
    ...lines,
    '',
  ].join('\n');
}

interface Lists {
  readonly uploads: readonly Written[];
  readonly faces: readonly Written[];
  readonly tools: readonly Written[];
  readonly saves: readonly Written[];
}

interface Picking {
  readonly pick: (from: readonly Written[], at: number) => Written | undefined;
  readonly asset: (at: number) => string | undefined;
}

interface Body {
  readonly uses: string;
  readonly with: string;
  readonly own: boolean;
}

function bodyOf(
  spec: StepSpec,
  name: string,
  { faces, tools, saves }: Lists,
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
      const shown = own && b % 2 === 0 ? 'name: "${{ item.key }}", ' : '';
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
    case 'save': {
      const of = pick(tools, a);
      if (of === undefined) return undefined;
      const mine = own || of.own;
      const to = mine ? `"${name}-\${{ item.key }}.png"` : `${name}.png`;
      return { uses: 'download', with: `{ of: ${of.name}, to: ${to} }`, own: mine };
    }
    case 'tidy': {
      const of = pick(tools, a);
      // What is thrown away and wanted by another step with the same content is lost: that is what the word means.
      const alone = saves.length === 0;
      const discard = spec.discard && alone ? ', discard: true' : '';
      return of === undefined
        ? undefined
        : { uses: 'delete', with: `{ of: ${of.name}${discard} }`, own: false };
    }
  }
}
