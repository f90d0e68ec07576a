import { type Kysely, sql } from 'kysely'

/** The document alone defines the plans and scopes, and which plan has quotas by key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_keys
      drop constraint api_keys_plan_known,
      drop constraint api_keys_scopes_known,
      drop constraint api_keys_quotas_of_enterprise`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_keys
      add constraint api_keys_plan_known check (plan in ('Free', 'Pro', 'Business', 'Enterprise')),
      add constraint api_keys_scopes_known
        check (scopes <@ array['read', 'write', 'admin'] and cardinality(scopes) > 0),
      add constraint api_keys_quotas_of_enterprise check ((plan = 'Enterprise') = (quotas is not null))`.execute(
    db,
  )
}
