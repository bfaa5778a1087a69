/** DATA: the strings that departments and permissions are made of (api-facts, section 8). */

export const departments: readonly string[] = ["agency", "bi", "c_suite", "engineering", "finance", "marketing", "pm"];

export const companyPermissions: readonly string[] = ["admin", "manage_company_settings", "add_remove_app_groups"];

export const teamPermissions: readonly string[] = [
  "admin",
  "basic_access",
  "approve_deny_campaigns",
  "send_campaigns_canvases",
  "publish_cards",
  "edit_segments",
  "export_user_data",
  "view_user_profile",
  "manage_dashboard_users",
  "manage_media_library",
];

export const workspacePermissions: readonly string[] = [
  ...teamPermissions,
  "view_pii",
  "view_usage_data",
  "import_update_user_data",
  "view_billing_details",
  "dev_console",
  "launch_content_blocks",
  "manage_external_integrations",
  "manage_apps",
  "manage_teams",
  "manage_events_attributes_purchases",
  "manage_tags",
  "manage_email_settings",
  "manage_subscription_groups",
  "manage_approval_settings",
  "manage_catalogs_dashboard_permission",
];

/** What a new user may do in the workspace it lands in where it was given none. */
export const landingPermission = "basic_access";
