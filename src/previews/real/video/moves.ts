// How a camera moves, out of words: "Simple Zoom In", "pan left", "the camera pulls back". One small grammar serves
// the camera effects of `animation` (an open list) and the prompts of the other tools.
import { hueOf } from '../../pictures/card.ts';
import type { View } from './camera.ts';

/** The view at a time in seconds; `level` is how loud the sound is then, 0 to 1. */
export type Move = (time: number, level: number) => View;

interface TaskRequest {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
  readonly turn: number;
  readonly pulse: number;
  readonly sway: number;
  readonly shake: number;
  readonly beat: number;
}

const quiet: TaskRequest = { zoom: 0, x: 0, y: 0, turn: 0, pulse: 0, sway: 0, shake: 0, beat: 0 };

const toward = String.raw`(?:\w+ ){0,3}`;
const travels = `(?:pan|slid|mov|track|truck|fl[yi]|scroll|drift|sweep)\\w* ${toward}`;
const grammar: readonly (readonly [RegExp, Partial<TaskRequest>])[] = [
  [
    new RegExp(
      `zoom\\w* ${toward}out\\b|pull\\w* ${toward}(?:back|out|away)|backwards?\\b|cruise|dolly out`,
    ),
    { zoom: -0.3 },
  ],
  [
    new RegExp(`zoom\\w* ${toward}in\\b|push|forward|accelerat|tunnel|closer|dolly in|approach`),
    { zoom: 0.3 },
  ],
  [new RegExp(`${travels}left\\b`), { x: -0.12 }],
  [new RegExp(`${travels}right\\b`), { x: 0.12 }],
  [new RegExp(`(?:${travels}|tilt\\w* )up\\b|crane up|rises?\\b`), { y: -0.12 }],
  [new RegExp(`(?:${travels}|tilt\\w* )down\\b|crane down`), { y: 0.12 }],
  [/counter|anti-?clockwise|spin\w* left|roll\w* left|rotat\w* left/, { turn: -1 }],
  [/spin|rotat|\broll|twirl|vortex|clockwise|orbit/, { turn: 1 }],
  [/bounc|rubber|pulse|puls|breath|in and out|heartbeat|vertigo/, { pulse: 0.1 }],
  [/sway|swing|rock|pendul|tilt|handheld/, { sway: 0.06 }],
  [/shak|quake|rodeo|jitter|explo|glitch/, { shake: 0.012 }],
  [/beat|music|audio|sync|danc|bass/, { beat: 0.12 }],
];
const gentle: readonly Partial<TaskRequest>[] = [
  { zoom: 0.16 },
  { zoom: -0.16 },
  { zoom: 0.1, x: 0.03 },
  { zoom: 0.1, x: -0.03 },
];

/** The turn of a spinning camera, radians a second at usual speed. */
const spinning = 0.6;

/** A move over a clip of so many seconds; words that say nothing of a camera give a gentle one, by the key. */
export function moveOf(words: string, seconds: number, key: string, speed = 1): Move {
  const text = words.toLowerCase();
  const still = /\b(?:static|no movement|no camera|locked)\b/.test(text);
  const wanted = still ? quiet : taskRequestOf(text, key);
  const fast = /boost|aggressive|quick|fast|rapid|whip/.test(text) ? 1.7 : 1;
  const pace = speed * fast;
  return (time, level) => {
    const share = Math.min(1, Math.max(0, time / seconds));
    const strength = Math.min(3, pace);
    const reach = Math.abs(wanted.zoom) * strength;
    const base = 1.02 + 2 * Math.max(Math.abs(wanted.x), Math.abs(wanted.y)) * strength;
    const along = wanted.zoom >= 0 ? share : 1 - share;
    const swing = Math.sin(time * pace * 2.4);
    const ease = share - 0.5;
    return {
      zoom:
        base * (1 + reach * along) * (1 + wanted.pulse * (1 + swing)) * (1 + wanted.beat * level) +
        Math.abs(wanted.sway) +
        2 * wanted.shake,
      x: 2 * wanted.x * strength * ease + wanted.shake * Math.sin(time * pace * 31),
      y: 2 * wanted.y * strength * ease + wanted.shake * Math.sin(time * pace * 43 + 1),
      turn: wanted.turn * spinning * pace * time + wanted.sway * swing,
    };
  };
}

function taskRequestOf(text: string, key: string): TaskRequest {
  let wanted = quiet;
  // The first to speak of a thing has the last word.
  for (const [words, said] of grammar.toReversed())
    if (words.test(text)) wanted = { ...wanted, ...said };
  return wanted === quiet ? { ...quiet, ...gentle[hueOf(key) % gentle.length] } : wanted;
}
