// Finds a job by its fingerprint: its record, or its place among those that are objects. Entries have the order in which jobs were
// first seen. Takes some forty bytes a job.
import { markOf } from '../../../contract/base/digest.ts';
import type { RecordPlace } from './record-log.ts';

const smallest = 1 << 10;
/** A chunk number and a place in the chunk share one number. */
const placesInChunk = 2 ** 28;

export class RecordIndex {
  /** Numbers of entries, from 1, by mark; with open addressing. */
  #slots = new Uint32Array(2 * smallest);
  #marks = new Float64Array(smallest);
  /** Of the record; below 0 if the job is an object. */
  #places = new Float64Array(smallest);
  #lengths = new Uint32Array(smallest);
  #size = 0;

  /** How many jobs there are: their entries are numbered from 0. */
  get size(): number {
    return this.#size;
  }

  /** The entry of a job. `is` tells whether an entry with its mark is the job's. */
  find(job: string, is: (entry: number) => boolean): number | undefined {
    const mark = markOf(job);
    for (let slot = this.#first(mark); ; slot = this.#next(slot)) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) return undefined;
      if (this.#marks[number - 1] === mark && is(number - 1)) return number - 1;
    }
  }

  /** The new entry of a job, which has no place yet. */
  add(job: string): number {
    if (this.#size === this.#marks.length) this.#grow();
    const entry = this.#size;
    this.#size += 1;
    this.#marks[entry] = markOf(job);
    this.#enter(entry);
    return entry;
  }

  setRecord(entry: number, { chunk, from, length }: RecordPlace): void {
    this.#places[entry] = chunk * placesInChunk + from;
    this.#lengths[entry] = length;
  }

  setHot(entry: number, number: number): void {
    this.#places[entry] = -1 - number;
  }

  /** Undefined if the job is a record. */
  hotOf(entry: number): number | undefined {
    const place = this.#places[entry] ?? 0;
    return place < 0 ? -1 - place : undefined;
  }

  recordOf(entry: number): RecordPlace {
    const place = this.#places[entry] ?? 0;
    const chunk = Math.floor(place / placesInChunk);
    return { chunk, from: place - chunk * placesInChunk, length: this.#lengths[entry] ?? 0 };
  }

  #enter(entry: number): void {
    let slot = this.#first(this.#marks[entry] ?? 0);
    while (this.#slots[slot] !== 0) slot = this.#next(slot);
    this.#slots[slot] = entry + 1;
  }

  #grow(): void {
    const room = 2 * this.#marks.length;
    const [marks, places, lengths] = [this.#marks, this.#places, this.#lengths];
    this.#marks = new Float64Array(room);
    this.#places = new Float64Array(room);
    this.#lengths = new Uint32Array(room);
    this.#marks.set(marks);
    this.#places.set(places);
    this.#lengths.set(lengths);
    this.#slots = new Uint32Array(2 * room);
    for (let entry = 0; entry < this.#size; entry++) this.#enter(entry);
  }

  /** The number of slots is a power of two, so every digit of the mark must count. */
  #first(mark: number): number {
    const mixed = Math.imul(Math.floor(mark / 2 ** 20) ^ (mark % 2 ** 20), 0x9e_37_79_b1);
    return ((mixed >>> 15) ^ mixed) & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}
