// What may be wrong with the file of the receipts.
import { isFull, systemCode, systemReason } from '../base/system-error.ts';

/** `older` and `damaged` files are set aside; `locked`, `full` and `failing` may pass; the others need a person. */
export type ReceiptsReason =
  | 'not-a-file'
  | 'other-user'
  | 'open-to-others'
  | 'other-program'
  | 'newer'
  | 'older'
  | 'damaged'
  | 'replaced'
  | 'network'
  | 'locked'
  | 'full'
  | 'failing'
  | 'unusable';

/** `message` is the end of a sentence that begins with the receipts. */
export class ReceiptsProblem extends Error {
  readonly reason: ReceiptsReason;
  /** Of the file, if it was found out when the file was opened. */
  readonly inode: bigint | undefined;

  constructor(reason: ReceiptsReason, message: string, cause?: unknown, inode?: bigint) {
    super(message, { cause });
    this.reason = reason;
    this.inode = inode;
  }
}

/** What keeps the receipts from being used. Anything else is a bug, and thrown. */
export function receiptsProblem(error: unknown): ReceiptsProblem {
  if (error instanceof ReceiptsProblem) return error;
  if (error instanceof Error && 'errcode' in error) {
    // SQLite's result; the other bytes say more of it.
    const reason = results.get(Number(error.errcode) & 0xff);
    const what = reason === 'full' ? systemReason(error) : `cannot be used (${error.message})`;
    if (reason !== undefined) return new ReceiptsProblem(reason, what, error);
  } else if (systemCode(error)?.startsWith('ERR_') === false) {
    const reason = isFull(error) ? 'full' : systemCode(error) === 'EIO' ? 'failing' : 'unusable';
    return new ReceiptsProblem(reason, systemReason(error), error);
  }
  throw error;
}

const results: ReadonlyMap<number, ReceiptsReason> = new Map([
  [3, 'unusable'], // SQLITE_PERM
  [5, 'locked'], // SQLITE_BUSY
  [6, 'locked'], // SQLITE_LOCKED
  [8, 'unusable'], // SQLITE_READONLY
  [10, 'failing'], // SQLITE_IOERR
  [11, 'damaged'], // SQLITE_CORRUPT
  [13, 'full'], // SQLITE_FULL
  [14, 'unusable'], // SQLITE_CANTOPEN
  [26, 'damaged'], // SQLITE_NOTADB
]);
