// Warns about files whose names claim another format than their content, such as a .jpg that is a
// PNG, before anything is paid for.
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { Step } from '../language/pipeline.ts';
import { extensionMark } from '../language/result-name.ts';

/** The advice. */
export const endWithExtension = 'end it with .${{ result.ext }}';

/** The usual extensions of a tool step's files: several if only the run knows. Undefined: any of its medium. */
function usualExtensions({ kind, with: body }: Step): readonly string[] | undefined {
  const chosen = kind.tool?.fileFormat;
  if (chosen !== undefined) {
    const { field, extensions, usual } = chosen;
    const format =
      body.kind === 'object' ? body.fields.find(([name]) => name === field)?.[1] : undefined;
    if (format === undefined) return [usual];
    return format.kind === 'value' ? [String(format.value)] : extensions;
  }
  switch (kind.tool?.record) {
    case 'image':
      return ['png'];
    case 'video':
      return ['mp4'];
    default:
      return undefined;
  }
}

const mediaOf = ({ kind }: Step): string | undefined => kind.tool?.record;

/** JPEG has two spellings. */
export const sameFormat = (one: string, other: string): boolean =>
  one.replace('jpeg', 'jpg') === other.replace('jpeg', 'jpg');

const eitherOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** Counts misleading names by step and extension, so that a million files are a few lines. */
export class OutputNames {
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #found = new Map<string, { step: string; named: string; tool: Step; files: number }>();

  constructor(steps: readonly Step[]) {
    this.#steps = new Map(steps.map((step) => [step.name, step]));
  }

  /** Registers a planned download and its path. */
  look(step: Step, to: string): void {
    const tool = this.#steps.get(step.of ?? '');
    const named = extensionOf(to);
    if (tool === undefined || named === '' || to.endsWith('/') || to.includes(extensionMark))
      return;
    const media = mediaTypeOf(named);
    const usual = usualExtensions(tool);
    const fits = usual?.some((one) => sameFormat(named, one)) ?? media === mediaOf(tool);
    if (media === undefined || fits) return;
    const key = `${step.name}.${named}`;
    const known = this.#found.get(key) ?? { step: step.name, named, tool, files: 0 };
    known.files += 1;
    this.#found.set(key, known);
  }

  /** The steps that the warnings name. */
  get steps(): ReadonlySet<string> {
    return new Set([...this.#found.values()].map(({ step }) => step));
  }

  warnings(): readonly string[] {
    return [...this.#found.values()].map(({ step, named, tool, files }) => {
      const usual = usualExtensions(tool)?.map((one) => one.toUpperCase());
      const sends = usual === undefined ? `${mediaOf(tool)} files` : eitherOf(usual);
      return (
        `step "${step}" names ${files === 1 ? '1 file' : `${files} files`} .${named}, but ${tool.kind.name} usually sends ${sends}; ` +
        `the content is saved unchanged. For the right extension, change to: and ${endWithExtension}`
      );
    });
  }
}
