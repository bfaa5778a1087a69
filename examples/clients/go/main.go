// Sends a user and an event, reads the user back and its groups, and shows a refusal, by the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"example.com/heddle-clients/heddle"
)

func main() {
	url, key, user := os.Args[1], os.Args[2], os.Args[3]
	ctx := context.Background()
	client := must(heddle.NewClientWithResponses(url, heddle.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	})))

	tracked := must(client.TrackUsersWithResponse(ctx, &heddle.TrackUsersParams{IdempotencyKey: &user}, trackBody(user)))
	var id heddle.ExportUsersJSONBody_ExternalIds_Item
	check(id.FromExportUsersJSONBodyExternalIds0(user))
	exported := must(client.ExportUsersWithResponse(ctx, nil, heddle.ExportUsersJSONRequestBody{
		ExternalIds:    &[]heddle.ExportUsersJSONBody_ExternalIds_Item{id},
		FieldsToExport: &[]string{"first_name", "total_revenue"},
	}))
	groups := must(client.GetUserGroupsWithResponse(ctx, &heddle.GetUserGroupsParams{ExternalId: &[]string{user}}))
	refused := must(client.TrackUsersWithResponse(ctx, nil, heddle.TrackBody{Events: &[]heddle.Event{}}))

	answer := tracked.JSON201
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"processed": []any{answer.AttributesProcessed, answer.EventsProcessed, answer.PurchasesProcessed},
		"name":      exported.JSON201.Users[0].AdditionalProperties["first_name"],
		"revenue":   exported.JSON201.Users[0].TotalRevenue,
		"status":    groups.JSON200.Users[0].ExternalId,
		"refused":   []any{refused.StatusCode(), refused.HTTPResponse.Header.Get("X-Heddle-Reason"), refused.JSON400.Message},
	}))
}

func trackBody(user string) heddle.TrackBody {
	name := "Ann"
	attributes := heddle.Attributes{ExternalId: &heddle.Attributes_ExternalId{}, FirstName: &name}
	check(attributes.ExternalId.FromAttributesExternalId0(user))
	attributes.Set("visits", map[string]int{"inc": 1})
	event := heddle.Event{ExternalId: &heddle.Event_ExternalId{}, Name: "signed_up", Time: "2026-11-20T10:00:00Z"}
	check(event.ExternalId.FromEventExternalId0(user))
	purchase := heddle.Purchase{ExternalId: &heddle.Purchase_ExternalId{}, Currency: "USD", Price: 11.77, Time: "2026-11-20T10:05:00Z"}
	check(purchase.ExternalId.FromPurchaseExternalId0(user))
	check(purchase.ProductId.FromPurchaseProductId0("sku-1"))
	return heddle.TrackBody{
		Attributes: &[]heddle.Attributes{attributes},
		Events:     &[]heddle.Event{event},
		Purchases:  &[]heddle.Purchase{purchase},
	}
}

func must[Value any](value Value, err error) Value {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
