// Reads the two directions of a connection to Postgres, as far as is needed to know where a transaction is committed:
// https://www.postgresql.org/docs/current/protocol-message-formats.html

export interface Message {
  /** One letter; empty for the messages before a session begins, which have none. */
  readonly type: string;
  /** The whole message, as it goes on. */
  readonly bytes: Buffer;
  /** Without its type and length. */
  readonly body: Buffer;
}

const typeBytes = 1;
const lengthBytes = 4;
const codeOf = { ssl: 80_877_103, gss: 80_877_104, cancel: 80_877_102 } as const;

/** Cuts a stream into its messages. */
export class Messages {
  #rest: Buffer = Buffer.alloc(0);
  /** What a client sends first has no type. */
  #untyped: boolean;

  constructor(from: 'client' | 'server') {
    this.#untyped = from === 'client';
  }

  /** The messages that are whole now. */
  *take(chunk: Buffer): Generator<Message> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#untyped ? 0 : typeBytes;
      if (this.#rest.length < head + lengthBytes) return;
      const size = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < size) return;
      const bytes = this.#rest.subarray(0, size);
      const type = bytes.toString('latin1', 0, head);
      const body = bytes.subarray(head + lengthBytes);
      this.#rest = this.#rest.subarray(size);
      if (type === '' && !asksToEncrypt({ type, bytes, body })) this.#untyped = false;
      yield { type, bytes, body };
    }
  }
}

/** The client asks for TLS or GSSAPI before it begins. The server answers with one letter, which is no message. */
export const asksToEncrypt = ({ type, body }: Message): boolean =>
  type === '' && (body.readInt32BE(0) === codeOf.ssl || body.readInt32BE(0) === codeOf.gss);

/** A statement that ends a transaction, by itself or as the last one of several. */
const commits =
  /(?:^|;)\s*(?:commit|end)(?:\s+(?:work|transaction))?(?:\s+and\s+(?:no\s+)?chain)?\s*;?\s*$/i;

type Outstanding =
  /** `commit`: the number that the transcript gave to the commit in it. */
  | { readonly is: 'query' | 'execute'; readonly commit: number | undefined }
  | { readonly is: 'sync' };

/** What a session asked for and has no answer to yet: says which messages are a commit, and which are its answers. */
export class Transcript {
  readonly #number: () => number;
  readonly #statements = new Map<string, boolean>();
  readonly #portals = new Map<string, boolean>();
  readonly #outstanding: Outstanding[] = [];

  /** `number` gives a number to each commit. */
  constructor(number: () => number) {
    this.#number = number;
  }

  /** The number of the commit that the client asks for with this message. */
  asked({ type, body }: Message): number | undefined {
    const [first = '', second = ''] = textsOf(body);
    switch (type) {
      case 'Q':
        return this.#ask('query', commits.test(first));
      case 'P':
        this.#statements.set(first, commits.test(second));
        return undefined;
      case 'B':
        this.#portals.set(first, this.#statements.get(second) ?? false);
        return undefined;
      case 'E':
        return this.#ask('execute', this.#portals.get(first) ?? false);
      case 'S':
        this.#outstanding.push({ is: 'sync' });
        return undefined;
      default:
        return undefined;
    }
  }

  #ask(is: 'query' | 'execute', isCommit: boolean): number | undefined {
    const commit = isCommit ? this.#number() : undefined;
    this.#outstanding.push({ is, commit });
    return commit;
  }

  /** The number of the commit that the server has made, as this message of it says. */
  answered({ type, body }: Message): number | undefined {
    const [next] = this.#outstanding;
    switch (type) {
      case 'C':
      case 'I':
      case 's':
        if (next === undefined || next.is === 'sync') return undefined;
        if (next.is === 'execute') this.#outstanding.shift();
        // The end of a transaction that had failed is a ROLLBACK.
        return type === 'C' && textsOf(body)[0] === 'COMMIT' ? next.commit : undefined;
      case 'E':
        // The server skips everything up to the next Sync.
        while (this.#outstanding[0]?.is === 'execute') this.#outstanding.shift();
        return undefined;
      case 'Z':
        this.#outstanding.shift();
        return undefined;
      default:
        return undefined;
    }
  }
}

/** The texts at the beginning of a message: each ends with a zero byte. */
function textsOf(body: Buffer): readonly string[] {
  const one = body.indexOf(0);
  if (one < 0) return [];
  const two = body.indexOf(0, one + 1);
  const first = body.toString('utf8', 0, one);
  return two < 0 ? [first] : [first, body.toString('utf8', one + 1, two)];
}
