// The pages of projects: a grid of pictures, and one project with its record, outputs and events.
import { extensionOf, mediaTypeOf } from '../../../contract/api/asset.ts';
import type { ProjectDetails, ProjectView } from '../views.ts';
import { badge, button, type Html, html, number, page, table, time } from './layout.ts';
import { deliveryTable } from './webhooks.ts';

export function projectsPage(projects: readonly ProjectView[], limit: number): string {
  const last = projects.at(-1);
  const older =
    last !== undefined && projects.length === limit
      ? html`<p><a href=${`/hub/projects?limit=${limit}&before=${last.seq}`}>Older projects</a></p>`
      : null;
  return page('Projects', '/hub/projects', [projectCards(projects), older]);
}

export function projectCards(projects: readonly ProjectView[]): Html {
  if (projects.length === 0)
    return html`<p class="empty">No projects yet. They appear here when a pipeline or a client creates them.</p>`;
  return html`<ul class="cards">
    ${projects.map(
      (project) => html`
        <li>
          <a class="picture" href=${`/hub/projects/${project.id}`}>${outputOf(project)}</a>
          <div class="words">
            <strong>${project.name}</strong>
            <div>${project.tool} · ${badge(project.status)}</div>
            <div class="dim">${number(project.credits_charged ?? 0)} credits · ${time(project.created_at)}</div>
          </div>
        </li>
      `,
    )}
  </ul>`;
}

export function projectPage(project: ProjectDetails): string {
  const { id, name, downloads, body, deliveries, error, status } = project;
  const live = status === 'queued' || status === 'rendering';
  const facts: readonly (readonly [string, unknown])[] = [
    ['Id', id],
    ['Tool', project.tool],
    ['Type', project.type],
    ['Account', project.account],
    ['Credits charged', number(project.credits_charged ?? 0)],
    ['Size', project.width === undefined ? '–' : `${project.width} × ${project.height}`],
    ['Error', error === null || error === undefined ? '–' : `${error.code}: ${error.message}`],
    ['Enabled', project.enabled === false ? 'no (deleted)' : 'yes'],
  ];
  return page(name ?? id, '/hub/projects', [
    html`<p>${badge(status)} · created ${time(project.created_at)} ${live ? button(`/hub/projects/${id}/cancel`, 'Cancel') : null}</p>`,
    downloads.length === 0
      ? html`<p class="empty">No outputs.</p>`
      : html`<ul class="cards">
          ${downloads.map(({ url }, index) => {
            const path = outputPath(id, index);
            return html`<li>${player(path, url, project.tool)}</li>`;
          })}
        </ul>`,
    table(
      ['Field', 'Value'],
      facts.map(
        ([field, value]) =>
          html`<tr><th scope="row">${field}</th><td><code>${value}</code></td></tr>`,
      ),
      '',
    ),
    html`<h2>Request</h2>
      <pre><code>${JSON.stringify(body, null, 2)}</code></pre>
      <h2>Events</h2>`,
    deliveryTable(deliveries),
  ]);
}

function outputOf({ id, downloads, tool, status, enabled, error }: ProjectView): Html {
  const [first] = downloads;
  if (enabled === false) return html`<span>deleted</span>`;
  if (status === 'error' && error) return html`<span class="why">${error.message}</span>`;
  if (first === undefined) return html`<span>${status}</span>`;
  return media(outputPath(id, 0), first.url, tool);
}

const outputPath = (id: string, index: number): string => `/hub/projects/${id}/outputs/${index}`;

/** One output: clips and sounds can be played, other files opened. */
function player(path: string, url: string, what: string): Html {
  const extension = extensionOf(new URL(url).pathname);
  const type = extension === 'gif' ? 'image' : mediaTypeOf(extension);
  const label = `Output of ${what}`;
  if (type === 'video')
    return html`<div class="picture"><video src=${path} aria-label=${label} controls loop preload="metadata"></video></div>`;
  if (type === 'audio')
    return html`<div class="words"><audio src=${path} aria-label=${label} controls preload="metadata"></audio></div>`;
  return html`<a class="picture" href=${path}>${media(path, url, what)}</a>`;
}

/** A picture, a clip or a sound, by the extension of its address. */
function media(path: string, url: string, what: string): Html {
  const extension = extensionOf(new URL(url).pathname);
  switch (mediaTypeOf(extension)) {
    case 'image':
      return html`<img src=${path} alt=${`Output of ${what}`} loading="lazy" />`;
    case 'video':
      return extension === 'gif'
        ? html`<img src=${path} alt=${`Output of ${what}`} loading="lazy" />`
        : html`<video src=${path} muted preload="metadata"></video>`;
    case 'audio':
      return html`<span>sound</span>`;
    default:
      return html`<span>file</span>`;
  }
}
