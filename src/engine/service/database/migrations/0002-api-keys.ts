import { type Kysely, sql } from 'kysely'

/** API keys, and the counts of their limits that must outlive a restart. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_keys (
      id bigint generated always as identity primary key,
      name text not null constraint api_keys_name_length check (char_length(name) between 1 and 100),
      preview text not null constraint api_keys_preview_length check (char_length(preview) <= 20),
      hash text not null constraint api_keys_hash_unique unique,
      previous_hash text constraint api_keys_previous_hash_unique unique,
      previous_expires_at timestamptz,
      plan text not null constraint api_keys_plan_known check (plan in ('Free', 'Pro', 'Business', 'Enterprise')),
      quotas jsonb,
      scopes text[] not null constraint api_keys_scopes_known
        check (scopes <@ array['read', 'write', 'admin'] and cardinality(scopes) > 0),
      disabled boolean not null default false,
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      banned_until timestamptz,
      constraint api_keys_quotas_of_enterprise check ((plan = 'Enterprise') = (quotas is not null))
    )`.execute(db)

  await sql`
    create table limit_windows (
      counter text primary key,
      count integer not null,
      ends_at timestamptz not null
    )`.execute(db)

  await sql`
    create table address_bans (
      address text primary key,
      banned_until timestamptz not null
    )`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table api_keys, limit_windows, address_bans`.execute(db)
}
