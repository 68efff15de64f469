/**
 * The log in which gateways tell each other things, as questions to Postgres. Neighbours: `postgres-line.ts` asks them,
 * `store/migrations/0003-shared.ts` makes the tables. All times are those of the database, so that clocks that differ do
 * no harm.
 *
 * Ids of the log are given out under a lock that is held until they are visible: whoever has read up to one has missed
 * none before it. A batch and what it adds to the ledger are one statement, and its number is written beside its
 * gateway: sent again after a broken connection, it is there once.
 */
import type { Topic } from './news-outbox.ts'

export const CHANNEL = 'sluice_news'
/** What is read by one who starts later. All else is of the moment. */
export const KEPT_TOPICS = [
  'sessions',
  'origins',
  'remembered',
  'halt',
] as const satisfies readonly Topic[]

/** For how long, and how much of it at most. The newest row of a topic is below its limit in any case. */
const KEPT: Readonly<Record<(typeof KEPT_TOPICS)[number], readonly [string, number]>> = {
  sessions: ['1 hour', 32 * 1024 * 1024],
  origins: ['7 days', 8 * 1024 * 1024],
  remembered: ['90 days', 4 * 1024 * 1024],
  halt: ['10 years', 64 * 1024],
}
const MOMENT = ['5 minutes', 32 * 1024 * 1024] as const
/** Read at once. */
const PAGE_ROWS = 500
const PAGE_CHARS = 4 * 1024 * 1024

/** `$1` self, `$2` url, `$3` how many milliseconds it counts as alive. Gives back all that are. */
export const RENEW = `
with me as (
  insert into gateways (id, url, alive_until)
  values ($1, $2, now() + $3 * interval '1 millisecond')
  on conflict (id) do update set url = excluded.url, alive_until = excluded.alive_until
  returning id
)
select id from gateways where alive_until > now() and id <> $1
union all select id from me`

/** At the end of a process: nobody has to wait for its lease. `$1` self. */
export const LEAVE = `update gateways set alive_until = now() where id = $1`

/**
 * `$1` self, `$2` the number of the batch, `$3`-`$5` recipients, topics and bodies; `$6`-`$11` what was spent: keys,
 * periods, tokens, requests, the rate's requests and milliseconds.
 */
export const PUBLISH = `
with lock as materialized (select pg_advisory_xact_lock(hashtext('${CHANNEL}'))),
me as (
  update gateways set batch = $2 from lock where id = $1 and batch < $2 returning id
),
told as (
  insert into news (gateway, recipient, topic, size, body)
  select me.id, x.recipient, x.topic, length(x.body), x.body
  from me, unnest($3::text[], $4::text[], $5::text[]) with ordinality
    as x (recipient, topic, body, place)
  order by x.place
  returning id
),
booked as (
  insert into ledger as l (key_name, period, tokens, used, rate_requests, rate_per)
  select x.key_name, x.period, x.tokens, x.used, x.rate_requests, x.rate_per
  from me, unnest($6::text[], $7::text[], $8::float8[], $9::float8[], $10::float8[], $11::float8[])
    as x (key_name, period, tokens, used, rate_requests, rate_per)
  on conflict (key_name, period) do update set
    tokens = l.tokens + excluded.tokens,
    used = ${decayed('l')} + excluded.used,
    rate_requests = excluded.rate_requests,
    rate_per = excluded.rate_per,
    changed_at = now()
)
select pg_notify('${CHANNEL}', $1 || ' ' || coalesce((select max(id) from told), 0))
where exists (select from told)`

/** Requests of a rate come back with time. */
function decayed(row: string): string {
  const since = `extract(epoch from now() - ${row}.changed_at) * 1000`
  return `greatest(0, ${row}.used - coalesce(${since} * ${row}.rate_requests / ${row}.rate_per, 0))`
}

/** Whether the gateway is still on the list. `$1` self. */
export const KNOWN = `select batch from gateways where id = $1`

/** What keys have spent, and how far the log went at that moment. */
export const STANDING = `
select c.cursor, l.key_name, l.period, l.tokens, l.rate_requests, l.rate_per, ${decayed('l')} as used
from (select coalesce(max(id), 0) as cursor from news) c left join ledger l on true`

/**
 * What others have told after `$1`. `$2` self, `$3` before this only what is kept, `$4` topics that are kept.
 */
export const READ = `
select id, gateway, topic, body from (
  select id, gateway, topic, body, sum(size) over (order by id) - size as before from (
    select id, gateway, topic, body, size from news
    where id > $1 and (id > $3 or topic = any($4))
      and (recipient is null or recipient = $2) and gateway <> $2
    order by id limit ${PAGE_ROWS}
  ) page
) cut where before < ${PAGE_CHARS} order by id`

/** Whoever gets the lock tidies up; the others have nothing to do. */
export const TIDY = `
with lock as materialized (select pg_try_advisory_xact_lock(hashtext('${CHANNEL} tidy')) as is_mine),
limits (topic, age, chars) as (values ${Object.entries(KEPT)
  .map(([topic, [age, chars]]) => `('${topic}', interval '${age}', ${chars})`)
  .join(', ')}),
old as (
  select n.id from (
    select id, topic, told_at, sum(size) over (partition by topic order by id desc) as above from news
  ) n left join limits l using (topic), lock
  where lock.is_mine and (
    n.told_at < now() - coalesce(l.age, interval '${MOMENT[0]}')
    or n.above > coalesce(l.chars, ${MOMENT[1]})
  )
),
news_gone as (delete from news where id in (select id from old)),
ledger_gone as (
  delete from ledger l using lock
  where lock.is_mine and l.period <> '' and l.changed_at < now() - interval '70 days'
),
gateways_gone as (
  delete from gateways g using lock
  where lock.is_mine and g.alive_until < now() - interval '1 day'
)
delete from tickets t using lock
where lock.is_mine and t.status <> 'pending' and t.changed_at < now() - interval '10 minutes'`
