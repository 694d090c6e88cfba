// What happened to a tortured distributed run, and what was wrong: for a person who investigates.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalService } from '../src/service/start.ts';
import type { Member } from './engine-fleet.ts';
import { type Blow, tablesText } from './engine-record.ts';
import type { Workspace } from './workspace.ts';

export interface StoryOptions {
  readonly workspace: Workspace;
  readonly service: LocalService;
  /** The address of the database. */
  readonly database: string;
  readonly onEvent: (line: string) => void;
  /** Hears everything that happens. */
  readonly onNote?: ((line: string) => void) | undefined;
}

export class Story {
  readonly violations: string[] = [];
  readonly #o: StoryOptions;
  readonly #began = Date.now();
  readonly #log: string[] = [];

  constructor(options: StoryOptions) {
    this.#o = options;
  }

  note(text: string): void {
    const line = `${((Date.now() - this.#began) / 1000).toFixed(1)} ${text}`;
    this.#log.push(line);
    this.#o.onNote?.(line);
  }

  find(sentence: string): void {
    this.note(`violation: ${sentence}`);
    this.violations.push(sentence);
    this.#o.onEvent(`violation: ${sentence}`);
  }

  /** Beside the pipeline. */
  async leave(members: readonly Member[], blows: readonly Blow[]): Promise<void> {
    const { workspace, database, service } = this.#o;
    const write = (name: string, text: string): void =>
      writeFileSync(join(workspace.folder, `torture-${name}`), text);
    const said = members.flatMap(({ name, pid, lines }) => [`${name} ${pid}`, ...lines]);
    write('story.txt', [...this.violations, '', ...this.#log, '', ...said].join('\n'));
    write('blows.json', JSON.stringify(blows, undefined, 1));
    write('service-ledger.json', JSON.stringify(service.ledger(), undefined, 1));
    write('tables.txt', await tablesText(database));
  }
}
