// Notes what each command of a transcript executes, in the process that hosts it.
import { note } from './reach.ts';

// A command has ended.
process.on('beforeExit', () => note(process.env['REACH_TEST'] ?? ''));
