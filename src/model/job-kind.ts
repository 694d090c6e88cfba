// The step kinds that a line may name. The kind of a job decides where the service keeps its project, so a line that
// names another kind is damaged.
import { kindNamed } from '../contract/kinds.ts';

/** The step kind of a repaired job of which only the fingerprint could be read: it may be a free kind. */
export const unknownKind = 'unknown';

/** Why this step kind cannot be right, as the end of a sentence. `creates`: the line is about a project, which only tools create. */
export function kindProblem(kind: string, creates: boolean): string | undefined {
  if (kind === unknownKind) return undefined;
  const known = kindNamed(kind);
  if (known === undefined)
    return `there is no step kind ${JSON.stringify(kind)}: the line was edited, or a newer shotlist wrote it`;
  if (creates && known.tool === undefined)
    return `the step kind ${kind} creates no projects: the line was edited`;
  return undefined;
}
