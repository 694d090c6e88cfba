// A process that uses receipts while a test looks on: `write` prints the number of each creation as soon as it is recorded,
// `claim` prints what it was given, `lock` prints "locked" and holds the database until it is killed.
import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ReceiptStore } from '../../../../src/state/receipts/receipt-store.ts';
import { receipt } from './receipts.ts';

const [, , doing = '', file = '', from = '0', to = '0', type = ''] = process.argv;

/** At once, and not when the process gets to it. */
const print = (text: string): void => void writeSync(1, `${text}\n`);

const store = new ReceiptStore({
  file,
  now: Date.now,
  onWarning: (message) => print(`warning: ${message}`),
  ...(type === '' ? {} : { fileSystemOf: () => Number(type) }),
});

if (doing === 'lock') {
  const database = new DatabaseSync(file);
  database.exec('BEGIN EXCLUSIVE');
  print('locked');
  // Without a reference to it, the database would be closed.
  setInterval(() => void database.isOpen, 1_000);
} else
  for (let number = Number(from); number < Number(to); number++) {
    const claimed = store.claim(receipt(number, 'intended'), ([other]) => other);
    if (doing === 'claim') print(`${number} ${typeof claimed === 'object' ? 'theirs' : claimed}`);
    else if (claimed === 'ours' && store.put([receipt(number, 'complete')])) print(`${number}`);
  }
