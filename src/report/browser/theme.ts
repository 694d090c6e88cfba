// Light, dark, or as the system says; remembered where the browser allows it.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

type Theme = 'auto' | 'light' | 'dark';

const themes: readonly Theme[] = ['auto', 'light', 'dark'];
const key = 'shotlist-theme';

export function themeNow(): Theme {
  const chosen = stored() ?? document.documentElement.dataset['theme'];
  return themes.find((theme) => theme === chosen) ?? 'auto';
}

const nextTheme = (theme: Theme): Theme =>
  themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto';

export function setTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Some browsers give a file no storage: then the choice lasts as long as the page.
  }
  dispatchEvent(new Event('themechange'));
}

function stored(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function ThemeButton(): VNode {
  const [theme, change] = useState<Theme>(themeNow());
  const onClick = (): void => {
    const next = nextTheme(theme);
    setTheme(next);
    change(next);
  };
  const sign = { auto: '◐', light: '○', dark: '●' }[theme];
  const label = `Theme: ${theme}. Change to ${nextTheme(theme)}`;
  return html`<button type="button" class="icon-button theme" aria-label=${label} title=${label} onClick=${onClick}>
    <span aria-hidden="true">${sign}</span>
  </button>`;
}
