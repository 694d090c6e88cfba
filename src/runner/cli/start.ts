// shotlist without a command: says what to do next. A script that lost its command must notice, so the exit code is 2.
import { pipelinesHere } from '../operations/starting/pipelines-here.ts';
import { startText } from '../report/start-text.ts';
import { printProse } from './terminal.ts';

export function startCommand(): number {
  printProse(startText(pipelinesHere()));
  return 2;
}
