// Command petstore serves four operations with ogen and pgx: routes, decoding and validation are generated from the
// document.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"petstore/bench/api"
)

const petColumns = "id, name, category_id, status"

const take = `update pets set stock = stock - $2, open_orders = open_orders + 1,
	status = case when stock = $2 then 'pending' else status end
	where id = $1 and status = 'available' and stock >= $2 returning id`
const insert = `insert into orders (pet_id, quantity, ship_date) values ($1, $2, $3) returning id, ship_date`

type service struct {
	pool *pgxpool.Pool
}

func refusal(status int, code api.ErrorCode, message string, details ...api.ErrorDetail) error {
	return &api.ErrorStatusCode{
		StatusCode: status,
		Response:   api.Error{Code: code, Message: message, Status: status, Details: details},
	}
}

func scanPet(row pgx.CollectableRow) (api.Pet, error) {
	pet := api.Pet{Status: api.OptPetStatus{Set: true}}
	err := row.Scan(&pet.ID, &pet.Name, &pet.CategoryId, (*string)(&pet.Status.Value))
	return pet, err
}

func (s *service) GetPet(ctx context.Context, params api.GetPetParams) (*api.Pet, error) {
	rows, _ := s.pool.Query(ctx, "select "+petColumns+" from pets where id = $1", params.PetId)
	pet, err := pgx.CollectExactlyOneRow(rows, scanPet)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, refusal(404, api.ErrorCodeNotFound, fmt.Sprintf("There is no animal %d.", params.PetId))
	}
	return &pet, err
}

func (s *service) ListPets(ctx context.Context, params api.ListPetsParams) (*api.ListPetsOKHeaders, error) {
	limit := params.Limit.Or(20)
	after, err := strconv.ParseInt(params.Cursor.Or("0"), 10, 64)
	if err != nil || after < 0 {
		return nil, refusal(400, api.ErrorCodeInvalidRequest, "The cursor is not one of ours.")
	}
	values := []any{after, limit + 1}
	var where strings.Builder
	where.WriteString("id > $1")
	if status, ok := params.Status.Get(); ok {
		values = append(values, string(status))
		fmt.Fprintf(&where, " and status = $%d", len(values))
	}
	if category, ok := params.CategoryId.Get(); ok {
		values = append(values, category)
		fmt.Fprintf(&where, " and category_id = $%d", len(values))
	}
	rows, _ := s.pool.Query(ctx, "select "+petColumns+" from pets where "+where.String()+" order by id limit $2", values...)
	pets, err := pgx.AppendRows(make([]api.Pet, 0, limit+1), rows, scanPet)
	if err != nil {
		return nil, err
	}
	if len(pets) <= limit {
		return &api.ListPetsOKHeaders{Response: pets}, nil
	}
	pets = pets[:limit]
	next := strconv.FormatInt(pets[limit-1].ID, 10)
	return &api.ListPetsOKHeaders{Response: pets, XNextCursor: api.NewOptString(next)}, nil
}

func (s *service) CreatePet(ctx context.Context, pet *api.NewPet) (*api.PetHeaders, error) {
	rows, _ := s.pool.Query(ctx,
		"insert into pets (name, name_key, category_id, status) values ($1, $2, $3, $4) returning "+petColumns,
		pet.Name, strings.ToLower(pet.Name), pet.CategoryId, string(pet.Status.Or(api.PetStatusAvailable)))
	created, err := pgx.CollectExactlyOneRow(rows, scanPet)
	var broken *pgconn.PgError
	if errors.As(err, &broken) && broken.Code == "23503" {
		return nil, refusal(409, api.ErrorCodeCategoryNotFound, fmt.Sprintf("There is no category %d.", pet.CategoryId),
			api.ErrorDetail{Path: "/categoryId", Message: "names no category"})
	}
	if err != nil {
		return nil, err
	}
	return &api.PetHeaders{Location: fmt.Sprintf("/pets/%d", created.ID), Response: created}, nil
}

func (s *service) PlaceOrder(ctx context.Context, order *api.NewOrder) (*api.OrderHeaders, error) {
	var shipDate *time.Time
	if date, ok := order.ShipDate.Get(); ok {
		shipDate = &date
	}
	var id int64
	err := s.insertOrder(ctx, order, &id, &shipDate)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, s.refuseOrder(ctx, order)
	}
	if err != nil {
		return nil, err
	}
	placed := api.Order{
		ID:       api.NewOptInt64(id),
		PetId:    api.NewOptInt64(order.PetId),
		Quantity: api.NewOptInt(order.Quantity),
		Complete: api.NewOptBool(false),
	}
	if shipDate != nil {
		placed.ShipDate = api.NewOptDateTime(shipDate.UTC())
	}
	return &api.OrderHeaders{Location: fmt.Sprintf("/store/orders/%d", id), Response: placed}, nil
}

func (s *service) insertOrder(ctx context.Context, order *api.NewOrder, id *int64, shipDate **time.Time) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, take, order.PetId, order.Quantity).Scan(id); err != nil {
			return err
		}
		return tx.QueryRow(ctx, insert, order.PetId, order.Quantity, *shipDate).Scan(id, shipDate)
	})
}

func (s *service) refuseOrder(ctx context.Context, order *api.NewOrder) error {
	var status string
	var stock int64
	err := s.pool.QueryRow(ctx, "select status, stock from pets where id = $1", order.PetId).Scan(&status, &stock)
	if errors.Is(err, pgx.ErrNoRows) {
		return refusal(409, api.ErrorCodePetNotAvailable, fmt.Sprintf("There is no animal %d.", order.PetId))
	}
	if err != nil {
		return err
	}
	if status != "available" {
		return refusal(409, api.ErrorCodePetNotAvailable, fmt.Sprintf("Animal %d is %s.", order.PetId, status))
	}
	return refusal(409, api.ErrorCodeInsufficientStock,
		fmt.Sprintf("Animal %d has %d in stock, %d were ordered.", order.PetId, stock, order.Quantity))
}

func (s *service) NewError(_ context.Context, err error) *api.ErrorStatusCode {
	log.Print(err)
	return &api.ErrorStatusCode{
		StatusCode: 500,
		Response:   api.Error{Code: api.ErrorCodeInternalError, Message: "Something went wrong.", Status: 500},
	}
}

// refuseInput answers what the generated decoders refuse.
func refuseInput(_ context.Context, w http.ResponseWriter, _ *http.Request, err error) {
	body := api.Error{Code: api.ErrorCodeInvalidRequest, Message: err.Error(), Status: 400}
	text, _ := body.MarshalJSON()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(400)
	_, _ = w.Write(text)
}

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = 10
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	handler := &service{pool: pool}
	server, err := api.NewServer(handler, api.WithErrorHandler(refuseInput))
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), server))
}
