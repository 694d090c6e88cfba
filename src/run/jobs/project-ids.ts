// One project belongs to one creation. A service that answers two creations with one id may have made one project or two:
// whoever records the id twice calls one payment two results.

export class ProjectIds {
  readonly #earlier: () => Iterable<string>;
  #before: ReadonlySet<string> | undefined;
  /** By project: the names of the attempts that were answered with it. */
  readonly #answered = new Map<string, string>();

  /** Projects that the service has shown to the account. */
  readonly shown = new Set<string>();

  /** `earlier`: the projects that are on record when the first creation is answered. */
  constructor(earlier: () => Iterable<string> = () => []) {
    this.#earlier = earlier;
  }

  /** False if the project belongs to another creation. */
  claim(project: string, attempt: string): boolean {
    const known = this.#answered.get(project);
    if (known !== undefined) return known === attempt;
    this.#before ??= new Set(this.#earlier());
    if (this.#before.has(project)) return false;
    this.#answered.set(project, attempt);
    return true;
  }
}
