// The functions in the database: what one transaction of a worker or a coordinator writes to a run. They are made again
// by every `migrate`, so they need no upgrades.
//
// `commit_batch` locks the row of the run first, so batches of one run never overlap. It numbers and keeps the facts,
// then the ends, then decides the claims. What it knows of states comes from moves.ts; how credits move between the
// attempts of a job is said a second time here, and the model test compares it with the ledger.
import { moves, reserving } from './moves.ts';
import { schema } from './tables.ts';

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const isReserving = (state: string): string =>
  `coalesce(${state} in (${reserving.map(literal).join(', ')}), false)`;

const move = `
create or replace function ${schema}.move(state text, variant text) returns text
language sql immutable parallel safe as $$
  select ${literal(JSON.stringify(moves))}::jsonb ->> (coalesce(state, 'none') || ' ' || variant)
$$;

create or replace function ${schema}.past_credits(past jsonb) returns bigint
language sql immutable parallel safe as $$
  select coalesce(sum((attempt->>'credits')::bigint), 0)::bigint from jsonb_array_elements(past) attempt
  where attempt->'adopted' is null
$$;
`;

/** The credits that a job was charged, over all its attempts. What is adopted was paid elsewhere. */
const worth = `case when j.adopted then 0 else coalesce(j.credits, 0) end
            + case when j.past is null then 0 else ${schema}.past_credits(j.past) end`;

/** The past of a job whose current attempt is over. */
const pastWithCurrent = `coalesce(j.past, '[]') || (jsonb_build_object('project', j.project, 'credits', j.credits)
              || case when j.adopted then '{"adopted":true}'::jsonb else '{}'::jsonb end)`;

/**
 * `facts`: id, key, is, and of an event about a job: job, name (of the attempt that it is about), event, variant, and the
 * fields of the event that move money. `body` is the event as text, which the database does not read. Plans are made while
 * the tables are small, and kept while they grow, so scans of whole tables are out of the question.
 */
const commitBatch = `
create or replace function ${schema}.commit_batch(
  p_run text, p_by text, p_epoch bigint, p_facts jsonb, p_ends jsonb, p_asks jsonb
) returns jsonb language plpgsql set enable_seqscan = off as $$
declare
  r ${schema}.run;
  j ${schema}.job;
  f record;
  a record;
  t timestamptz(3);
  v_variant text;
  v_after text;
  v_known jsonb;
  v_found boolean;
  v_is text;
  v_worth bigint;
  v_reserved bigint;
  v_written bigint;
  n_is text[] := '{}';
  n_key text[] := '{}';
  n_fact text[] := '{}';
  n_body text[] := '{}';
  v_facts text[] := '{}';
  v_ends boolean[] := '{}';
  v_claims jsonb[] := '{}';
  v_claim jsonb;
begin
  select * into r from ${schema}.run where run = p_run for no key update;
  -- The state file is the record, or is being written: nobody would hear of what is written here.
  if not found or r.stage <> 'open' then return '{"is":"gone"}'; end if;
  if p_epoch is not null and r.epoch <> p_epoch then return '{"is":"over"}'; end if;
  t := clock_timestamp();
  v_written := r.seq;

  select coalesce(jsonb_object_agg(fact, is_), '{}') into v_known from jsonb_array_elements(p_facts) new cross join lateral
    (select fact, is_ from ${schema}.record where run = p_run and fact = new->>'id' limit 1) before;
  for f in select * from jsonb_to_recordset(p_facts) as x(
    id text, key text, "is" text, job text, about text, event text, variant text, body text, name text, attempt bigint,
    reserve bigint, credits bigint, project text, task text, file text, take boolean, unknown boolean, owner text, past jsonb, files jsonb,
    since timestamptz)
  loop
    if v_known ? f.id or f.id = any (n_fact) then
      v_facts := v_facts || case v_known->>f.id when 'refused' then 'refused' else 'known' end;
      continue;
    end if;
    v_is := f."is";
    if f.job is not null then
      select * into j from ${schema}.job where run = p_run and job = f.job;
      v_found := found;
      v_variant := f.variant;
      case f.event
        when 'amended' then
          v_variant := 'amended ' || case
            when j.project = f.project then 'now'
            when j.past @> jsonb_build_array(jsonb_build_object('project', f.project)) then 'past'
            else 'nothing' end;
        when 'stored', 'pruned' then
          if f.file = any (j.files) is not true then v_variant := v_variant || ' nothing'; end if;
        when 'picked' then
          if j.take then v_variant := v_variant || ' take'; end if;
        when 'supplied' then
          if j.unknown then v_variant := v_variant || ' unknown'; end if;
        when 'adopted' then
          if j.adopted and j.name is not distinct from f.name then v_variant := v_variant || ' same'; end if;
        else
      end case;
      v_after := ${schema}.move(j.state, v_variant);
      if f.about is not null and f.event <> 'intent' and j.name is distinct from f.about then v_after := null; end if;
      if v_after is null then
        if j.name is not distinct from coalesce(f.about, j.name) and (case
          when f.event = 'created' then j.project = f.project
          when f.event = 'doubt' then j.state = 'doubt'
          when f.event = 'deleted' then j.state = 'deleted'
          when f.variant = 'settled complete' then j.state in ('complete', 'deleted')
          when f.variant in ('settled error', 'settled canceled') then j.state = 'failed' and j.project is not null
          when f.event = 'settled' then j.state = 'failed' and j.project is null
          else false end)
        then
          v_facts := v_facts || 'known'::text;
          continue;
        end if;
        v_is := 'refused';
      elsif f.event not in ('serves', 'stored', 'pruned', 'picked') then
        v_worth := ${worth};
        v_reserved := case when ${isReserving('j.state')} then j.reserve else 0 end;
        if not v_found then
          j.run := p_run; j.job := f.job; j.attempt := 0; j.take := false; j.adopted := false;
        end if;
        if f.event in ('intent', 'forgotten', 'supplied') and f.variant <> 'forgotten files' then
          if f.event = 'supplied' then
            j.past := null; j.take := false; j.attempt := j.attempt + 1;
          elsif j.project is not null or j.credits <> 0 then
            j.past := ${pastWithCurrent};
          end if;
          j.adopted := false; j.credits := 0; j.project := null; j.files := null; j.name := f.name; j.reserve := coalesce(f.reserve, 0);
          j.owner := f.owner;
          if f.event <> 'forgotten' then j.unknown := f.unknown; end if;
          if f.event = 'intent' then j.attempt := f.attempt; j.take := j.take or f.take; end if;
        elsif f.event = 'adopted' then
          if right(v_variant, 5) = ' same' then
            j.past := coalesce(j.past, f.past);
          else
            if j.project is not null or j.credits <> 0 then j.past := ${pastWithCurrent}; end if;
            if f.past is not null then j.past := coalesce(j.past, '[]') || f.past; end if;
          end if;
          j.adopted := true; j.credits := f.credits; j.project := f.project; j.name := f.name; j.reserve := f.reserve;
          j.files := (select array_agg(file) from jsonb_array_elements_text(f.files) file);
          j.owner := null; j.unknown := f.unknown; j.take := f.take; j.attempt := greatest(j.attempt, f.attempt);
          j.at := f.since;
        elsif f.event = 'forgotten' then
          j.files := (select array_agg(file) from unnest(j.files) file where not starts_with(file, f.task || E'\\n'));
        elsif f.event = 'created' then
          j.project := f.project; j.credits := f.credits;
        elsif f.event = 'settled' and f.variant <> 'settled not_taken' then
          j.credits := f.credits;
        elsif f.event = 'output' then
          if f.file = any (j.files) is not true then j.files := coalesce(j.files, '{}') || f.file; end if;
        elsif v_variant = 'amended now' then
          j.credits := f.credits;
        elsif v_variant = 'amended past' then
          j.past := (select jsonb_agg(case when attempt->>'project' = f.project
            then attempt || jsonb_build_object('credits', f.credits) else attempt end)
            from jsonb_array_elements(j.past) attempt);
        end if;
        if f.event in ('created', 'settled', 'amended') and f.credits > j.reserve and j.credits = f.credits then
          r.surprise := r.seq + 1;
        end if;
        if (v_after <> j.state is not false or f.event = 'supplied') and f.event <> 'adopted' then j.at := t; end if;
        j.state := v_after;
        if v_found then
          update ${schema}.job set
            state = j.state, attempt = j.attempt, name = j.name, reserve = j.reserve, credits = j.credits,
            project = j.project, past = j.past, files = j.files, take = j.take, unknown = j.unknown, owner = j.owner,
            at = j.at, adopted = j.adopted
          where run = p_run and job = f.job;
        else
          insert into ${schema}.job values (j.*);
        end if;
        v_worth := ${worth} - v_worth;
        r.charged := r.charged + greatest(v_worth, 0);
        r.refunded := r.refunded + greatest(-v_worth, 0);
        r.reserved := r.reserved + case when ${isReserving('j.state')} then j.reserve else 0 end - v_reserved;
      end if;
    end if;
    r.seq := r.seq + 1;
    n_is := n_is || v_is; n_key := n_key || f.key; n_fact := n_fact || f.id; n_body := n_body || f.body;
    v_facts := v_facts || case v_is when 'refused' then 'refused' else 'done' end;
  end loop;

  for f in select * from jsonb_to_recordset(p_ends) as x(id text, key text, live boolean, body text) loop
    if f.live then
      r.seq := r.seq + 1;
      n_is := n_is || 'ended'::text; n_key := n_key || f.key; n_fact := n_fact || f.id; n_body := n_body || f.body;
      v_ends := v_ends || true;
    else
      v_ends := v_ends || exists (select from ${schema}.record where run = p_run and fact = f.id);
    end if;
  end loop;

  for a in select * from jsonb_to_recordset(p_asks) as x(
    live boolean, owner text, again boolean, epoch bigint, seen bigint, key text, job text, name text, attempt bigint,
    reserve bigint, take boolean, unknown boolean, body text)
  loop
    select * into j from ${schema}.job where run = p_run and job = a.job;
    v_after := ${schema}.move(j.state, 'intent');
    v_claim := case
      when not a.live or a.epoch <> r.epoch or r.stage <> 'open' then '{"is":"stale"}'
      when j.name = a.name and (j.state <> 'intended' or j.owner is distinct from a.owner) then jsonb_build_object('is', 'exists', 'same', true)
      when j.name = a.name and not a.again then '{"is":"go"}'
      when r.closed is not null then jsonb_build_object('is', 'closed', 'why', r.closed)
      when a.seen < r.surprise then '{"is":"repriced"}'
      when r.throttled_until > t then
        jsonb_build_object('is', 'wait', 'ms', ceil(extract(epoch from r.throttled_until - t) * 1000))
      when r.cap < r.charged - r.refunded + r.reserved + case when j.name = a.name then 0 else a.reserve end then
        '{"is":"budget"}'
      when j.name = a.name then '{"is":"go"}'
      when a.again or v_after is null then jsonb_build_object('is', 'exists', 'same', false)
      -- Only an attempt that the service certainly did not take may have its number used again (jobs/attempt.ts).
      when a.attempt <> coalesce(j.attempt, 0) + 1
        and (a.attempt = j.attempt and j.state = 'failed' and j.project is null and j.credits = 0) is not true then
        jsonb_build_object('is', 'exists', 'same', false)
      else null end;
    if v_claim is null then
      if j.project is not null or j.credits <> 0 then
        j.past := ${pastWithCurrent};
      end if;
      insert into ${schema}.job
        values (p_run, a.job, v_after, a.attempt, a.name, a.reserve, 0, null, j.past, null,
          coalesce(j.take, false) or a.take, a.unknown, a.owner, t, false)
        on conflict (run, job) do update set
          state = excluded.state, attempt = excluded.attempt, name = excluded.name, reserve = excluded.reserve,
          credits = 0, project = null, past = excluded.past, files = null, take = excluded.take,
          unknown = excluded.unknown, owner = excluded.owner, at = excluded.at, adopted = false;
      r.seq := r.seq + 1;
      r.reserved := r.reserved + a.reserve;
      n_is := n_is || 'event'::text; n_key := n_key || a.key; n_fact := n_fact || null::text; n_body := n_body || a.body;
      v_claim := '{"is":"go"}';
    elsif v_claim->>'is' = 'exists' then
      v_claim := v_claim || jsonb_build_object('state', coalesce(j.state, 'forgotten'), 'project', j.project,
        'credits', coalesce(j.credits, 0), 'at', ${schema}.iso(coalesce(j.at, t)));
    end if;
    v_claims := v_claims || v_claim;
  end loop;

  if r.seq <> v_written then
    insert into ${schema}.record
    select p_run, v_written + place, n.is_, n.key, p_by, n.fact, n.body, t
    from unnest(n_is, n_key, n_fact, n_body) with ordinality n(is_, key, fact, body, place);
    update ${schema}.run set seq = r.seq, charged = r.charged, refunded = r.refunded, reserved = r.reserved,
      surprise = r.surprise where run = p_run;
  end if;
  return jsonb_build_object('is', 'done', 'facts', v_facts, 'ends', v_ends, 'claims', v_claims);
end
$$;
`;

const iso = `
create or replace function ${schema}.iso(at timestamptz) returns text
language sql immutable parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
`;

export const functions = `${iso}${move}${commitBatch}`;
