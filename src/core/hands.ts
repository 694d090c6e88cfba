// Moves the bytes of a run, on the machine that has them: sends files up, and puts results into their places.
import { type Digest, digestFrom } from '../base/digest.ts';
import { err, ok, type Result } from '../base/result.ts';
import { extensionOf, extensionOfContentType, mediaTypeOf } from '../contract/api/asset.ts';
import { extensionMark } from '../language/result-name.ts';
import { outputPath } from './output-path.ts';
import type {
  Disk,
  Fetched,
  FileProblem,
  Hands,
  LocalFile,
  MediaApi,
  OutputStore,
  Saved,
  ServiceAnswer,
  Source,
  Spot,
  StoreAnswer,
  StoredFile,
  StoreFailure,
  UploadTarget,
} from './ports.ts';

export interface LocalHandsParts {
  readonly api: Pick<MediaApi, 'put' | 'download'>;
  readonly disk: Disk;
  readonly store: OutputStore | undefined;
}

export class LocalHands implements Hands {
  readonly isHere = true;
  readonly #o: LocalHandsParts;

  constructor(parts: LocalHandsParts) {
    this.#o = parts;
  }

  async upload(target: UploadTarget, source: Source): ServiceAnswer<Digest> {
    const { api, disk } = this.#o;
    return await api.put(target, source.in === 'here' ? source.file : disk.fileAt(source));
  }

  /**
   * If the storage does not tell the hash of a file, a file that does not decode is fetched again. Bytes that come twice are what
   * the storage has: they are saved, and a delete of their project refuses.
   */
  async save(url: string, spot: Spot): ServiceAnswer<Result<Saved, FileProblem>> {
    const { api, disk } = this.#o;
    const guess = extensionOfUrl(url);
    const made = await this.#temporary(spot, guess);
    if (!made.ok) return ok(made);
    const into = made.value;
    const fetched = await api.download(url, into);
    if (!fetched.ok) return fetched;
    const { digest, contentType, isVerified } = fetched.value;
    if (!isVerified && spot.came !== digest) {
      const damage = await disk.damage(into);
      if (damage !== undefined) {
        await disk.discard(into);
        return err({ reason: 'damaged', message: `it ${damage}`, digest });
      }
    }
    const extension = extensionOfContentType(contentType) ?? guess;
    return ok(await this.#place(spot, extension, into, fetched.value));
  }

  async bring(file: StoredFile, spot: Spot): StoreAnswer<Result<Saved, FileProblem>> {
    const extension = extensionOf(file.path);
    const made = await this.#temporary(spot, extension);
    if (!made.ok) return ok(made);
    const { bytes, sha256, unchecked: isUntold } = file;
    const digest = digestFrom(sha256);
    const got = await this.#o.store?.get(digest, bytes, made.value);
    if (got === undefined) return noStore(file.path);
    if (!got.ok) return err(got.error);
    return ok(await this.#place(spot, extension, made.value, { bytes, digest, isUntold }));
  }

  async copy(
    from: LocalFile,
    { path, sha256, unchecked: isUntold }: StoredFile,
    spot: Spot,
  ): Promise<Result<Saved, FileProblem>> {
    const { disk } = this.#o;
    const extension = extensionOf(path);
    const made = await this.#temporary(spot, extension);
    if (!made.ok) return made;
    const copied = await disk.copy(from, made.value);
    if (!copied.ok) return copied;
    if (copied.value.digest === sha256)
      return await this.#place(spot, extension, made.value, { ...copied.value, isUntold });
    await disk.discard(made.value);
    return err({ message: `${path} changed while it was being copied`, systemic: false });
  }

  async store({ path, sha256, bytes }: StoredFile): StoreAnswer<void> {
    const { disk, store } = this.#o;
    if (store === undefined) return noStore(path);
    return await store.put(disk.fileAt({ in: 'output', path }), digestFrom(sha256), bytes);
  }

  async #temporary({ to, work }: Spot, extension: string) {
    const named = to.replaceAll(extensionMark, extension);
    const inFolder = to.endsWith('/') ? `${named}1.${extension}` : named;
    return await this.#o.disk.temporary(inFolder, work);
  }

  async #place(
    spot: Spot,
    extension: string,
    temporary: LocalFile,
    { bytes, digest, isUntold }: Pick<Fetched, 'bytes' | 'digest' | 'isUntold'>,
  ): Promise<Result<Saved, FileProblem>> {
    const { disk } = this.#o;
    const isAudio = mediaTypeOf(extension) === 'audio';
    const seconds = isAudio ? await disk.seconds(temporary) : undefined;
    const isUnchecked = isUntold === true && !(await disk.showsItsEnd(temporary));
    const placed = await this.#put(spot, extension, temporary, digest);
    if (!placed.ok) {
      await disk.discard(temporary);
      return placed;
    }
    const saved: Saved = { ...placed.value, bytes, sha256: digest };
    if (seconds !== undefined) saved.seconds = seconds;
    if (isUnchecked) saved.unchecked = true;
    return ok(saved);
  }

  /** Into its place; a result that nobody waits for any more goes to the kept files if its place is taken. */
  async #put(
    { to, index, count, isKept }: Spot,
    extension: string,
    temporary: LocalFile,
    digest: Digest,
  ): Promise<Result<Pick<Saved, 'path' | 'kept'>, FileProblem>> {
    const { disk } = this.#o;
    const below = outputPath(to, { index, count, extension });
    if (!below.ok && !isKept) return err({ message: below.error, systemic: false });
    if (below.ok && to !== '') {
      const path = disk.recordedAs(below.value);
      const there = disk.output(path);
      const isTaken = isKept && there.is === 'file' && there.digest !== digest;
      const placed = isTaken ? undefined : await disk.place(temporary, below.value, digest);
      if (placed?.ok === true) return ok({ path });
      if (placed !== undefined && (!isKept || placed.error.systemic)) return placed;
    }
    const kept = await disk.keep(temporary, digest, extension);
    return kept.ok ? ok({ path: kept.value, kept: true }) : kept;
  }
}

const noStore = (path: string): Result<never, StoreFailure> =>
  err({ reason: 'refused', message: `${path} is not here, and there is no store` });

/** The service's own name is used only if it has a plain extension. */
function extensionOfUrl(url: string): string {
  const extension = extensionOf(URL.parse(url)?.pathname ?? '');
  return /^[a-z0-9]{1,10}$/.test(extension) ? extension : 'bin';
}
