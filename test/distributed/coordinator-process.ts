// A coordinator that may be killed at any moment: the address of the database, its state file, its name.
import { realClock } from '../../src/core/clock.ts';
import { EngineDatabase } from '../../src/distributed/database.ts';
import { PostgresFile } from '../../src/distributed/postgres-file.ts';
import { Promptness } from '../../src/distributed/promptness.ts';
import { lineText } from '../../src/model/record/line.ts';
import { StateFile } from '../../src/state/state-file.ts';
import { created, load, silentTerms } from '../state/records.ts';

const [, , url = '', path = '', name = ''] = process.argv;
const say = (what: string): void => void process.stdout.write(`${what}\n`);

const database = await EngineDatabase.open({ url, shown: 'the database' });
const term = await database.acquire('p', 'rehearsal', name);
if (term === undefined) throw new Error('another coordinator holds the run');
say('acquired');
const loaded = await load(path, { others: [database.record(term.run)] });
const { ledger } = loaded;
const file = await PostgresFile.begin({
  open: (onNews) => new StateFile(path, loaded, { ...silentTerms, onNews }),
  ...{ ledger, database, term, clock: realClock, promptness: new Promptness(realClock) },
  patience: { clock: realClock, quit: new AbortController().signal },
});
say('begun');
for (let number = 0; number < 20; number++) {
  const job = created(`${name} ${number}`);
  ledger.put(job);
  file.append(lineText(job));
  await file.sync();
  say(`job ${job.job}`);
  if (number % 5 === 0) file.remark();
}
say('ending');
await file.writeWhole();
say('whole');
await file.close();
await database.release(term);
await database.close();
