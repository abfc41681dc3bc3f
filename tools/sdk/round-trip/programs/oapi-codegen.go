package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.in/client/bursar"
	"github.com/shopspring/decimal"
)

func main() {
	decimal.MarshalJSONWithoutQuotes = true
	ctx := context.Background()
	authenticate := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth("key_test_demo", "secret_test_demo")
		return nil
	}
	client, err := bursar.NewClientWithResponses(os.Getenv("BURSAR_API_URL"), bursar.WithRequestEditorFn(authenticate))
	must(err)
	created, err := client.CreatePayOrderWithResponse(ctx, &bursar.CreatePayOrderParams{}, bursar.CreateOrderRequest{
		Name: "Asha Rao", Phone: "+91 98765 43210", Email: "asha@example.in",
		Details: []bursar.OrderLineInput{{ComponentType: "TUITION_FEE", Amount: decimal.RequireFromString("1234567.89")}},
	})
	must(err)
	id := created.JSON201.Data.OrderId
	_, err = client.SandboxPayWithResponse(ctx, id, &bursar.SandboxPayParams{}, bursar.SandboxPayRequest{Outcome: "success"})
	must(err)
	order, err := client.GetPayOrderWithResponse(ctx, id)
	must(err)
	fmt.Println(order.JSON200.Data.Status, order.JSON200.Data.Details[0].Amount.StringFixed(2))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
