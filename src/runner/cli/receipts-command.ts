// Defines the command receipts.
import { type Command, Option } from 'commander';
import { jsonText, positiveInteger } from './options.ts';

/** `done` receives the exit code. */
export function withReceiptsCommand(program: Command, done: (exitCode: number) => void): void {
  program
    .command('receipts')
    .description('list what you have paid for on this machine; export, import or forget it')
    .option('--pipeline <file>', 'only the receipts of this pipeline file')
    .option('--rehearse', "with --pipeline: the receipts of the pipeline's rehearsal")
    .addOption(
      new Option('--limit <n>', 'list the newest n receipts (default: 20)')
        .argParser(positiveInteger)
        .conflicts(['export', 'import', 'forget']),
    )
    .addOption(
      new Option('--export <file>', 'write the receipts to this new file').conflicts([
        ...['import', 'forget'],
      ]),
    )
    .addOption(
      new Option(
        '--import <file>',
        'add the receipts in an export, a state file or another database of receipts',
      ).conflicts('forget'),
    )
    .option('--forget', 'remove old receipts; needs --before')
    .option('--before <date>', 'with --forget: the receipts not changed since, such as 2026-01-31')
    .option('--yes', 'with --forget: remove without a question')
    .option('--json', jsonText)
    .action(async (flags) => {
      done(await (await import('./receipts.ts')).receiptsCommand(flags));
    });
}
