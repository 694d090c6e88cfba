// Whose file an address of the service stands for: the service's sentences name the addresses of a request's inputs, and a
// person knows the files.
import { isObject, type Json } from '../../contract/base/json.ts';
import { type JobLine, resultOf } from '../journal/line.ts';
import type { Step } from '../language/pipeline.ts';
import type { ItemRun } from './item-run.ts';

type JobOf = (fingerprint: string) => JobLine | undefined;

/** By address: the local file. Uploads, the files that a detection has looked at, and saved files that were uploaded again. */
export function ownNames(
  itemRun: ItemRun,
  step: Step,
  jobOf: JobOf,
): { readonly names?: Readonly<Record<string, string>> } {
  const names = new Map<string, string>();
  collect(itemRun, step, jobOf, names, new Set());
  return names.size === 0 ? {} : { names: Object.fromEntries(names) };
}

/** A detection names the file of the upload that it reads: it is found after that upload. */
function collect(
  itemRun: ItemRun,
  step: Step,
  jobOf: JobOf,
  names: Map<string, string>,
  seen: Set<Step>,
): string | undefined {
  if (seen.has(step)) return undefined;
  seen.add(step);
  let file: string | undefined;
  for (const name of step.uses)
    for (const owner of itemRun.suppliersOf(step, name)) {
      const supplier = owner.step(name);
      if (supplier !== undefined) file = nameOutputs(owner, supplier, jobOf, names, seen) ?? file;
    }
  return file;
}

function nameOutputs(
  owner: ItemRun,
  supplier: Step,
  jobOf: JobOf,
  names: Map<string, string>,
  seen: Set<Step>,
): string | undefined {
  const given = owner.given(supplier.name);
  const job = given === undefined ? undefined : jobOf(given.fingerprint);
  if (job === undefined) return undefined;
  const outputs = given?.live ?? resultOf(job);
  switch (supplier.kind.operation) {
    case 'upload': {
      const file = shownFile(owner.uploaded(supplier.name));
      put(names, outputs['file_path'], file);
      return file;
    }
    case 'detect': {
      const file = collect(owner, supplier, jobOf, names, seen);
      for (const face of listIn(outputs['faces']))
        if (isObject(face)) put(names, face['path'], file);
      return file;
    }
    case 'create': {
      const { outputs: saved = [] } = job;
      for (const [index, download] of listIn(outputs['downloads']).entries())
        if (isObject(download))
          put(names, download['url'], saved.find((output) => output.index === index)?.path);
      return undefined;
    }
    default:
      return undefined;
  }
}

/** A state file has no absolute path, so the end of one must do. */
const shownFile = (file: string | undefined): string | undefined =>
  file !== undefined && /^([/\\]|[a-z]:)/i.test(file) ? file.replace(/^.*[/\\]/, '') : file;

const listIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function put(
  names: Map<string, string>,
  address: Json | undefined,
  file: string | undefined,
): void {
  if (typeof address === 'string' && address !== '' && file !== undefined) names.set(address, file);
}
