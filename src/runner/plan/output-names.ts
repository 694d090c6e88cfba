// Warns about files whose names claim another format than their content, such as a .jpg that is a
// PNG, before anything is paid for.
import { extensionOf, mediaTypeOf } from '../../contract/api/asset.ts';
import type { Step } from '../language/pipeline.ts';
import { extensionMark } from '../language/result-name.ts';

/** The advice. */
export const endWithExtension = 'end it with .${{ result.ext }}';

/** The usual extension of a tool step's files, if it is known before the step runs. */
function usualExtension({ kind, with: body }: Step): string | undefined {
  if (kind.name === 'ai-gif-generator') {
    const format =
      body.kind === 'object'
        ? body.fields.find(([name]) => name === 'output_format')?.[1]
        : undefined;
    if (format === undefined) return 'gif';
    return format.kind === 'value' ? String(format.value) : undefined;
  }
  switch (kind.tool?.record) {
    case 'image':
      return 'png';
    case 'video':
      return 'mp4';
    default:
      return undefined;
  }
}

const mediaOf = ({ kind }: Step): string | undefined => kind.tool?.record;

/** JPEG has two spellings. */
export const sameFormat = (one: string, other: string): boolean =>
  one.replace('jpeg', 'jpg') === other.replace('jpeg', 'jpg');

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
    const usual = usualExtension(tool);
    const media = mediaTypeOf(named);
    const misleads =
      usual === undefined
        ? media !== undefined && media !== mediaOf(tool)
        : !sameFormat(named, usual) && media !== undefined;
    if (!misleads) return;
    const key = `${step.name}.${named}`;
    const known = this.#found.get(key) ?? { step: step.name, named, tool, files: 0 };
    known.files += 1;
    this.#found.set(key, known);
  }

  warnings(): readonly string[] {
    return [...this.#found.values()].map(({ step, named, tool, files }) => {
      const usual = usualExtension(tool);
      const sends = usual === undefined ? `${mediaOf(tool)} files` : usual.toUpperCase();
      return (
        `step "${step}" names ${files === 1 ? '1 file' : `${files} files`} .${named}, but ${tool.kind.name} usually sends ${sends}; ` +
        `the content is saved unchanged. For the right extension, change to: and ${endWithExtension}`
      );
    });
  }
}
