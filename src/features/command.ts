import { setFlagsFromString } from 'node:v8';
import { loadPipeline } from '../language/load/load.ts';
import type { LoadedPipeline } from '../language/load/loaded-pipeline.ts';
import type { PipelineFlags } from '../terminal/flags.ts';
import { caution, print, printJson } from '../terminal/terminal.ts';
import { stateLine } from '../views/service-text.ts';

/** How to print the result of an operation. */
interface AnswerFormat<T> {
  /** The text for people. */
  readonly text: (value: T) => string;
  /** The value for `--json`; default: the result itself. */
  readonly facts?: (value: T) => object;
  /** Default 0. */
  readonly exitCode?: (value: T) => number;
}

/** Callbacks for what an operation reports while it works. */
interface Reports {
  /** Prints first whose state file the command reads, or adds it to the JSON that comes later. */
  readonly onState: (service: string) => void;
  /** The same for the address of a hosted service, if it was not told yet. */
  readonly onConnect: (address: string) => void;
  readonly onWarning: (message: string) => void;
}

/** A command that is one operation on a pipeline. */
export async function command<T extends object>(
  file: string,
  flags: PipelineFlags,
  operate: (pipeline: LoadedPipeline, reports: Reports) => Promise<T>,
  { facts = (value) => value, ...format }: AnswerFormat<T>,
): Promise<number> {
  const json = flags.json === true;
  const pipeline = await pipelineFor(file, flags);
  let service: { readonly service?: string } = {};
  const naming = sayState(json ? () => undefined : print);
  const onState = (name: string): void => {
    service = { service: name };
    naming(name);
  };
  const done = await operate(pipeline, { onState, onConnect: onState, onWarning: caution });
  return answer(done, json, {
    ...format,
    facts: (value) => ({ ...service, ...facts(value) }),
  });
}

/** Says whose state file a command is about, or which service it uses, once. */
export function sayState(say: (line: string) => void): (service: string) => void {
  let told = false;
  return (service) => {
    if (!told) say(stateLine(service));
    told = true;
  };
}

export async function pipelineFor(
  file: string,
  { input = {}, profile }: PipelineFlags,
): Promise<LoadedPipeline> {
  return await loadPipeline(file, { inputs: input, profile });
}

/** Prints the result of an operation; returns the exit code. */
export function answer<T extends object>(
  result: T,
  json: boolean,
  { text, facts = (value) => value, exitCode = () => 0 }: AnswerFormat<T>,
): number {
  if (json) printJson(facts(result));
  else print(text(result));
  return exitCode(result);
}

// Keeps the young generation of V8's heap from growing. It takes all the room that it may, 64 MB and more, and a plan or a run of
// many items gains no time by it. Node.js lets nobody set its size once it has started, but the factor of its growth.

/** For commands that go through all items, as their first act: what is loaded by then has let it grow a little. */
export function stopGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
