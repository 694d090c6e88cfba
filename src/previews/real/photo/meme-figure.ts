// The picture under a meme's words: rays behind a figure that makes a face, or two panels with a figure that refuses
// and then agrees. Which, and with which face, comes from the template's name.
import { hueOf } from '../../pictures/card.ts';
import { shadesOf } from './shades.ts';
import { subjectIn } from './subjects.ts';
import { says } from './words.ts';

/** Templates of two panels, whose words stand beside the figure. */
export const panelsOf = (template: string): boolean =>
  says(
    template,
    'drake',
    'hotline',
    'panel',
    'two buttons',
    'versus',
    'vs',
    'before',
    'choice',
    'approve',
  );

type Mood = 'glad' | 'angry' | 'amazed' | 'smug' | 'sad';

const moods: readonly Mood[] = ['glad', 'angry', 'amazed', 'smug', 'sad'];

function moodOf(template: string, chance: () => number): Mood {
  if (says(template, 'success', 'happy', 'kid', 'celebrat', 'win')) return 'glad';
  if (says(template, 'angry', 'yelling', 'rage', 'grumpy', 'boromir')) return 'angry';
  if (says(template, 'surprised', 'pikachu', 'shocked', 'brain', 'distracted')) return 'amazed';
  if (says(template, 'roll safe', 'smug', 'wonka', 'simply', 'change my mind', 'gru'))
    return 'smug';
  if (says(template, 'sad', 'crying', 'disaster', 'fine', 'pain', 'harold')) return 'sad';
  return moods[Math.floor(chance() * moods.length)] ?? 'glad';
}

export function memeDrawing(template: string, side: number, chance: () => number): string {
  const hue = (hueOf(template) + Math.floor(chance() * 40)) % 360;
  const inside = panelsOf(template) ? panels(hue, side) : rays(template, hue, side, chance);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">
    <radialGradient id="corners" r=".75"><stop offset=".55" stop-opacity="0"/><stop offset="1" stop-opacity=".45"/></radialGradient>
    ${inside}</svg>`;
}

function panels(hue: number, side: number): string {
  const half = side / 2;
  const panel = (top: number, shade: number, mood: Mood, arm: string): string =>
    `<g transform="translate(0 ${top})"><rect width="${half}" height="${half}" fill="hsl(${hue + shade},75%,58%)"/>
      <g transform="translate(${half * 0.08} ${half * 0.06}) scale(${(half / 100) * 0.86})">${figure(mood, hue + 180)}${arm}</g></g>`;
  const refusing = `<path d="M20 98Q6 70 8 44" stroke="#d9a17c" stroke-width="9" stroke-linecap="round" fill="none"/>
    <path d="M8 44L4 30M8 44L10 28M9 44L16 32" stroke="#d9a17c" stroke-width="4" stroke-linecap="round"/>`;
  const agreeing = `<path d="M80 98Q94 76 90 58" stroke="#d9a17c" stroke-width="9" stroke-linecap="round" fill="none"/>
    <path d="M90 58V42" stroke="#d9a17c" stroke-width="5" stroke-linecap="round"/>`;
  return `<rect width="100%" height="100%" fill="#e9e9ec"/>${panel(0, 0, 'angry', refusing)}
    ${panel(half, 40, 'glad', agreeing)}<path d="M0 ${half}H${side}M${half} 0V${side}" stroke="#111" stroke-width="5"/>`;
}

function rays(template: string, hue: number, side: number, chance: () => number): string {
  const middle = side / 2;
  const beams = Array.from({ length: 12 }, (_, i) => {
    const from = (i / 12) * Math.PI * 2;
    const at = (angle: number): string =>
      `${(middle + Math.cos(angle) * side).toFixed(1)} ${(middle + Math.sin(angle) * side).toFixed(1)}`;
    return `<path d="M${middle} ${middle}L${at(from)} ${at(from + Math.PI / 12)}Z" fill="hsl(${hue},65%,54%)"/>`;
  });
  const named = subjectIn(template);
  const drawn =
    named?.draw(shadesOf(named.natural?.hue ?? hue + 160, named.natural?.saturation ?? 60)) ??
    figure(moodOf(template, chance), hue + 180);
  return `<rect width="100%" height="100%" fill="hsl(${hue},60%,42%)"/>${beams.join('')}
    <rect width="100%" height="100%" fill="url(#corners)"/>
    <g transform="translate(${side * 0.22} ${side * 0.2}) scale(${side * 0.0056})">${drawn}</g>
    <path d="M0 ${side * 0.76}H${side}V${side}H0Z" fill="hsl(${hue},50%,14%)" opacity=".35"/>`;
}

/** A head and shoulders in a box of 100 by 100. */
function figure(mood: Mood, hue: number): string {
  const eyes = mood === 'amazed' ? 7 : mood === 'smug' ? 3.2 : 5;
  const brows = {
    glad: 'M33 27q6-5 12-1M55 26q6-4 12 1',
    angry: 'M32 24l14 6M68 24l-14 6',
    amazed: 'M32 20q7-6 13-2M55 18q6-4 13 2',
    smug: 'M33 29l12-1M55 25q7-5 13 0',
    sad: 'M32 31l12-6M68 31l-12-6',
  }[mood];
  const mouth = {
    glad: '<path d="M36 52q14 5 28 0-3 14-14 14T36 52Z" fill="#7a1f24"/><path d="M38 53q12 4 24 0l-1 4q-11 3-22 0Z" fill="#fff"/>',
    angry: '<path d="M38 60q12-10 24 0l-1 4q-11-4-22 0Z" fill="#7a1f24"/>',
    amazed: '<ellipse cx="50" cy="59" rx="7" ry="9" fill="#7a1f24"/>',
    smug: '<path d="M40 57q12 5 22-5" stroke="#7a1f24" stroke-width="3" fill="none" stroke-linecap="round"/>',
    sad: '<path d="M39 62q11-9 22 0" stroke="#7a1f24" stroke-width="3" fill="none" stroke-linecap="round"/><path d="M35 44q-4 8 0 10 4-2 0-10Z" fill="#7cc7ee"/>',
  }[mood];
  return `<path d="M8 100q2-22 24-26l18-4 18 4q22 4 24 26Z" fill="hsl(${hue},55%,45%)"/>
    <path d="M41 62h18v12q-9 9-18 0Z" fill="#b98661"/><path d="M26 38C24 4 76 4 74 38 76 84 24 84 26 38Z" fill="#d9a17c"/>
    <path d="M25 40C18 0 46 2 52 5 80 0 80 26 75 40 73 26 66 20 52 20S29 24 25 40Z" fill="#3b2619"/>
    <circle cx="39" cy="39" r="${eyes}" fill="#fff"/><circle cx="61" cy="39" r="${eyes}" fill="#fff"/>
    <circle cx="40" cy="39.500" r="${Math.min(2.6, eyes * 0.6)}" fill="#222"/><circle cx="62" cy="39.500" r="${Math.min(2.6, eyes * 0.6)}" fill="#222"/>
    <path d="${brows}" stroke="#3b2619" stroke-width="2.600" fill="none" stroke-linecap="round"/>
    <path d="M50 40l-3 9h5" stroke="#b27a57" stroke-width="1.600" fill="none"/>${mouth}`;
}
