// The shades of one colour, from which a drawn thing gets its form.

/** Three shades of the colour that a subject is drawn in. */
export interface Shades {
  readonly main: string;
  readonly dark: string;
  readonly light: string;
}

/** The shades of a hue, in degrees, and a saturation, in per cent. */
export const shadesOf = (hue: number, saturation: number): Shades => ({
  main: `hsl(${hue},${saturation}%,48%)`,
  dark: `hsl(${hue},${saturation}%,28%)`,
  light: `hsl(${hue},${saturation * 0.8}%,74%)`,
});
